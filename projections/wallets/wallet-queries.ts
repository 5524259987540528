import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, LessThan, MoreThanOrEqual, Repository, type FindOperator } from 'typeorm';
import type { LedgerEntryType, WalletKey } from '#libs/contexts/credits';
import type { Instant, ListOrder, ListPart } from '#libs/kernel/core';
import { WalletLedgerEntryRow } from './wallet-ledger-entry-row.js';

/** The wallet entries to list, of one wallet or of all wallets of a customer. */
export interface WalletLedgerFilter extends Pick<WalletKey, 'customerId'> {
  /** The credit type of the wallet. If absent, the entries of all wallets are listed. */
  readonly creditType?: string | undefined;
  readonly type?: LedgerEntryType | undefined;
  /** Only entries at or after this instant are returned. */
  readonly from?: Instant | undefined;
  /** Only entries before this instant are returned. */
  readonly to?: Instant | undefined;
}

@Injectable()
export class WalletQueries {
  readonly listOrder: ListOrder<WalletLedgerEntryRow> = {
    list: 'wallet_ledger',
    keyParts: ['number'],
    keyOf: ({ position }) => [position],
  };

  constructor(
    @InjectRepository(WalletLedgerEntryRow) private readonly entries: Repository<WalletLedgerEntryRow>,
  ) {}

  /** Returns the wallets that have overage now or had overage before. */
  async walletsThatHadOverage(workspaceId: string): Promise<WalletKey[]> {
    return this.entries
      .createQueryBuilder('entry')
      .select('entry.customerId', 'customerId')
      .addSelect('entry.creditType', 'creditType')
      .distinct()
      .where("entry.workspaceId = :workspaceId AND entry.overage <> '0'", { workspaceId })
      .getRawMany<WalletKey>();
  }

  /** Returns a page of the changes of one wallet, or of all wallets of a customer, newest first. */
  async ledgerEntries(
    workspaceId: string,
    { customerId, creditType, type, from, to }: WalletLedgerFilter,
    { limit, offset, after }: ListPart,
  ): Promise<WalletLedgerEntryRow[]> {
    const bounds: FindOperator<Instant>[] = [];
    if (from !== undefined) bounds.push(MoreThanOrEqual(from));
    if (to !== undefined) bounds.push(LessThan(to));
    return this.entries.find({
      where: {
        workspaceId,
        customerId,
        ...(creditType === undefined ? {} : { creditType }),
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
