import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString, Instant } from '#libs/kernel/core';
import type { AccountCode } from '#libs/contexts/ledger';
import { InstantColumn } from '#libs/kernel/postgres';

/** One line of a ledger transaction, with the event that caused the transaction. */
@Entity({ schema: 'read', name: 'ledger_postings' })
@Index(['workspaceId', 'at', 'position', 'transactionId', 'line'])
@Index(['workspaceId', 'account', 'at', 'position', 'transactionId', 'line'])
@Index(['workspaceId', 'customerId', 'at'])
@Index(['invoiceId'])
export class LedgerPostingRow {
  /** The id of the row: `<transaction>/<line>`. */
  @PrimaryColumn('text')
  id: string;

  /**
   * The id of the ledger transaction. The lines of a transaction take effect together and sum to zero. The transaction's id is the event's
   * id, with `.1`, `.2`, … for the event's later transactions.
   */
  @Column('text')
  transactionId: string;

  /** The number of the line in its transaction, from 0. */
  @Column('integer')
  line: number;

  /** The id of the workspace. */
  @Column('text')
  workspaceId: string;

  /** The instant at which the posting takes effect. The instant can be later than the present time of the workspace's clock. */
  @InstantColumn()
  at: Instant;

  /** The accounting date of the posting, such as `2026-01-31`. */
  @Column('text')
  date: string;

  @Column('text')
  eventId: string;

  @Column('text')
  eventType: string;

  /** The name of the event stream that contains the event. */
  @Column('text')
  stream: string;

  /** The position of the event in the event log. */
  @Column('bigint')
  position: string;

  /** The time of the event by the workspace's clock. */
  @InstantColumn()
  occurredAt: Instant;

  /** The description of the transaction in English, such as `Payment of invoice INV-1`. */
  @Column('text')
  description: string;

  @Column('text')
  customerId: string;

  @Column('text', { nullable: true })
  invoiceId: string | null;

  @Column('text', { nullable: true })
  invoiceNumber: string | null;

  @Column('text', { nullable: true })
  creditNoteId: string | null;

  @Column('text')
  account: AccountCode;

  /**
   * The id of the price or tax rate by which the account is divided. Null if the account is not divided, and for amounts without a price.
   */
  @Column('text', { nullable: true })
  detail: string | null;

  @Column('text')
  currency: string;

  /** The posted amount. Debits are positive, and credits are negative. */
  @Column('numeric')
  amount: DecimalString;
}
