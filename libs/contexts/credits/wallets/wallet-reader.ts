import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { decimalString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { BatchedReads } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { TrialUsage } from './trial-finder.js';
import {
  currentWallet,
  readRows,
  readRowsOfCustomer,
  unrecordedDraws,
  type WalletRow,
  type WalletRowKey,
} from './wallet-rows.js';
import { initialState, walletId, type Wallet, type WalletKey } from './wallet.js';

/** Reads the current state of wallets. All stored usage is included. */
@Injectable()
export class WalletReader {
  /** Reads the wallets of a workspace. Requests that read wallets at the same time share one query. */
  private readonly reading: BatchedReads<WalletKey, Wallet>;

  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
    private readonly trials: TrialUsage,
  ) {
    this.reading = new BatchedReads((workspaceId, keys) => this.readAll(workspaceId, keys));
  }

  /** Returns the current state of a wallet. A wallet without events or usage is empty. */
  read({ workspaceId, ...key }: WalletRowKey): Promise<Wallet> {
    return this.reading.read(workspaceId, key);
  }

  /** Returns the customer's wallets of the given credit types, in the order of `creditTypes`. */
  readByCreditTypes(
    workspaceId: string,
    customerId: string,
    creditTypes: readonly string[],
  ): Promise<Wallet[]> {
    return this.readAll(
      workspaceId,
      creditTypes.map((creditType) => ({ customerId, creditType })),
    );
  }

  /**
   * Returns the wallets of a customer, in the order of their credit types. A wallet without events and usage is missing, unless a command
   * on it was refused.
   */
  async ofCustomer(workspaceId: string, customerId: string): Promise<Wallet[]> {
    const rows = await readRowsOfCustomer(this.pool, workspaceId, customerId);
    return Promise.all(rows.map((row) => this.currentWallet(row)));
  }

  /**
   * Returns the credits of a customer that have not expired at an instant, by credit type. Credits that cannot be used yet are included.
   * Credit types without remaining credits are left out.
   */
  async readUnexpiredCredits(
    workspaceId: string,
    customerId: string,
    at: Instant,
  ): Promise<{ creditType: string; credits: DecimalString }[]> {
    return (await this.ofCustomer(workspaceId, customerId)).flatMap(({ creditType, blocks }) => {
      const left = blocks.filter(({ expiresAt }) => expiresAt === null || at < expiresAt);
      const credits = decimalString(sumOf(left.map(({ remaining }) => remaining)));
      return credits === '0' ? [] : [{ creditType, credits }];
    });
  }

  private async currentWallet(row: WalletRow): Promise<Wallet> {
    const draws = unrecordedDraws(row);
    if (draws.length === 0) return currentWallet(row);
    const now = await this.clock.now(row.workspaceId);
    return currentWallet(row, await this.trials.isOfTrial(this.pool, row, draws, now));
  }

  private async readAll(workspaceId: string, keys: readonly WalletKey[]): Promise<Wallet[]> {
    const rows = await readRows(
      this.pool,
      keys.map((key) => ({ ...key, workspaceId })),
    );
    const wallets = await Promise.all(rows.map((row) => this.currentWallet(row)));
    const found = new Map(wallets.map((wallet) => [walletId(workspaceId, wallet), wallet]));
    return keys.map((key) => found.get(walletId(workspaceId, key)) ?? initialState(key));
  }
}
