import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString, Instant } from '#libs/kernel/core';
import type { AccountCode } from '#libs/contexts/ledger';
import { InstantColumn } from '#libs/kernel/postgres';

/** One line of a transaction of the ledger, with the event that it was posted for. */
@Entity({ schema: 'read', name: 'ledger_postings' })
@Index(['workspaceId', 'at', 'position', 'transactionId', 'line'])
@Index(['workspaceId', 'account', 'at', 'position', 'transactionId', 'line'])
@Index(['workspaceId', 'customerId', 'at'])
@Index(['invoiceId'])
export class LedgerPostingRow {
  /** `<transaction>/<line>`. */
  @PrimaryColumn('text')
  id: string;

  /** What takes effect together and sums to zero: the event's id, with `.1`, `.2`, … for what does so later. */
  @Column('text')
  transactionId: string;

  /** From 0, in the order of the transaction. */
  @Column('integer')
  line: number;

  /** The workspace. */
  @Column('text')
  workspaceId: string;

  /** When it takes effect; it may lie ahead of the workspace's clock. */
  @InstantColumn()
  at: Instant;

  /** The day of the books that it is on: `2026-01-31`. */
  @Column('text')
  date: string;

  @Column('text')
  eventId: string;

  @Column('text')
  eventType: string;

  @Column('text')
  stream: string;

  @Column('bigint')
  position: string;

  /** The workspace's time at the event. */
  @InstantColumn()
  occurredAt: Instant;

  @Column('text')
  description: string;

  @Column('text')
  customerId: string;

  @Column('text', { nullable: true })
  invoiceId: string | null;

  @Column('text', { nullable: true })
  creditNoteId: string | null;

  @Column('text')
  account: AccountCode;

  @Column('text', { nullable: true })
  priceId: string | null;

  @Column('text')
  currency: string;

  /** A debit above zero, a credit below. */
  @Column('numeric')
  amount: DecimalString;
}
