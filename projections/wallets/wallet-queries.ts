import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, In, LessThan, MoreThanOrEqual, Repository, type FindOperator } from 'typeorm';
import { initialState, type LedgerEntryType, type Wallet, type WalletKey } from '#libs/contexts/credits';
import type { Instant, ListOrder, ListPart } from '#libs/kernel/core';
import { WalletLedgerRow } from './wallet-ledger-row.js';
import { WalletRow } from './wallet-row.js';

/** The entries of a wallet's ledger to list. */
export interface WalletLedgerFilter extends WalletKey {
  readonly type?: LedgerEntryType | undefined;
  /** The first instant of the entries. */
  readonly from?: Instant | undefined;
  /** The instant before which the entries are. */
  readonly to?: Instant | undefined;
}

@Injectable()
export class WalletQueries {
  readonly order: ListOrder<WalletLedgerRow> = {
    list: 'wallet_ledger',
    parts: ['number'],
    keyOf: ({ position }) => [position],
  };

  constructor(
    @InjectRepository(WalletRow) private readonly wallets: Repository<WalletRow>,
    @InjectRepository(WalletLedgerRow) private readonly entries: Repository<WalletLedgerRow>,
  ) {}

  /** Returns the customer's wallets of these credit types, in the same order. A wallet without events is empty. */
  async walletsOf(
    workspaceId: string,
    customerId: string,
    creditTypes: readonly string[],
  ): Promise<Wallet[]> {
    const rows = await this.wallets.findBy({ workspaceId, customerId, creditType: In([...creditTypes]) });
    const found = new Map(rows.map(({ creditType, state }) => [creditType, state]));
    return creditTypes.map((creditType) => found.get(creditType) ?? initialState({ customerId, creditType }));
  }

  /** Returns the credit types of which the customer has ever got credits. */
  async creditTypesOf(workspaceId: string, customerId: string): Promise<string[]> {
    const rows = await this.wallets.find({
      select: { stream: true, creditType: true },
      where: { workspaceId, customerId },
      order: { creditType: 'ASC' },
    });
    return rows.map(({ creditType }) => creditType);
  }

  /** Returns a page of the changes of a wallet, newest first. */
  async ledger(
    workspaceId: string,
    { customerId, creditType, type, from, to }: WalletLedgerFilter,
    { limit, offset, after }: ListPart,
  ): Promise<WalletLedgerRow[]> {
    const bounds: FindOperator<Instant>[] = [];
    if (from !== undefined) bounds.push(MoreThanOrEqual(from));
    if (to !== undefined) bounds.push(LessThan(to));
    return this.entries.find({
      where: {
        workspaceId,
        customerId,
        creditType,
        ...(type ? { type } : {}),
        ...(bounds.length > 0 ? { createdAt: And(...bounds) } : {}),
        ...(after ? { position: LessThan(after[0]) } : {}),
      },
      order: { position: 'DESC' },
      take: limit,
      skip: offset,
    });
  }
}
