import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { LedgerEntryType, WalletLedgerEntry } from '#libs/contexts/credits';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A change of a wallet. */
@Entity({ schema: 'read', name: 'wallet_ledger' })
@Index(['workspaceId', 'customerId', 'creditType', 'position'])
@Index(['workspaceId', 'customerId', 'position'])
export class WalletLedgerRow implements WalletLedgerEntry {
  /** The id of the event. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  creditType: string;

  @Column('text')
  type: LedgerEntryType;

  @Column('text')
  amount: DecimalString;

  @Column('text')
  balance: DecimalString;

  @Column('jsonb')
  blocks: WalletLedgerEntry['blocks'];

  @Column('text')
  overage: DecimalString;

  @Column('text', { nullable: true })
  description: string | null;

  @InstantColumn()
  createdAt: Instant;

  @Column('bigint')
  position: string;
}
