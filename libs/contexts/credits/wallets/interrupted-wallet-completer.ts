import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { WaitingItemsWorker, type WaitingPart } from '#libs/kernel/app';
import { readInterruptedWallets, type WalletRowKey } from './wallet-rows.js';
import { WalletStore } from './wallet-store.js';

/**
 * Completes changes of wallets that a process has begun and not finished. Recording the draws of a wallet is such a change. Several
 * processes can run this worker.
 */
@Injectable()
export class InterruptedWalletCompleter extends WaitingItemsWorker<WalletRowKey> {
  override readonly name = 'interrupted-wallets';
  /** A change that takes longer than the collection time counts as interrupted. Normally a change takes some milliseconds. */
  protected override readonly pace = { intervalMillis: 100, collectMillis: 5_000, limit: 500 };
  protected override readonly messages = {
    searchFailed: 'interrupted changes of wallets could not be read, trying again',
    itemFailed: 'a change of a wallet was interrupted and could not be completed, trying again',
  };

  constructor(
    private readonly pool: Pool,
    private readonly wallets: WalletStore,
  ) {
    super();
  }

  protected override take(part: WaitingPart): Promise<WalletRowKey[]> {
    return readInterruptedWallets(this.pool, part);
  }

  protected override async perform(key: WalletRowKey): Promise<void> {
    await this.wallets.settle(key);
  }

  protected override logFieldsOf({ workspaceId, customerId, creditType }: WalletRowKey) {
    return { workspaceId, customerId, creditType };
  }
}
