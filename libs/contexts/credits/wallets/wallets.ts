import { Injectable } from '@nestjs/common';
import { decimalString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { walletDecider, walletId, type WalletKey } from './wallet.js';

/** Reads wallets for the decisions of others, from their streams and never from a read model. */
@Injectable()
export class Wallets {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the credits of a wallet that have not expired at an instant, including those that cannot be used yet. */
  async creditsLeft(workspaceId: string, key: WalletKey, at: Instant): Promise<DecimalString> {
    const wallet = await this.aggregates.load(walletDecider, walletId(workspaceId, key));
    const left = (wallet?.blocks ?? []).filter(({ expiresAt }) => expiresAt === null || at < expiresAt);
    return decimalString(sumOf(left.map(({ remaining }) => remaining)));
  }
}
