import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { LedgerEntryType, WalletLedgerEntry } from '#libs/contexts/credits';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A change of a wallet. */
@Entity({ schema: 'read', name: 'wallet_ledger' })
@Index(['workspaceId', 'customerId', 'creditType', 'position'])
@Index(['workspaceId', 'customerId', 'position'])
export class WalletLedgerEntryRow implements WalletLedgerEntry {
  /** The id of the event that changed the wallet. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  creditType: string;

  /** What changed the wallet, such as `granted` or `drawn_down`. */
  @Column('text')
  type: LedgerEntryType;

  /** The change in credits. The change is below zero if the wallet lost credits. */
  @Column('text')
  amount: DecimalString;

  /** The credits that could be used right after the change. */
  @Column('text')
  balance: DecimalString;

  /** The number of credits that each block gained or lost. */
  @Column('jsonb')
  blocks: WalletLedgerEntry['blocks'];

  /** The credits that usage cost and no block covered. */
  @Column('text')
  overage: DecimalString;

  /** The description of a grant or purchase, or the reason of a void. Null if there is none. */
  @Column('text', { nullable: true })
  description: string | null;

  /** The time of the event by the workspace's clock. */
  @InstantColumn()
  createdAt: Instant;

  /** The position of the event in the event log. Changes are listed in the order of this position. */
  @Column('bigint')
  position: string;
}
