import { Column, Entity, Index } from 'typeorm';
import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Invoice, InvoiceStatus, RetryState, TaxEntry } from '#libs/contexts/invoicing';
import { InstantColumn } from '#libs/kernel/postgres';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'invoices' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'status', 'createdPosition'])
@Index(['workspaceId', 'issuedAt'])
@Index(['workspaceId', 'taxedThrough'])
@Index(['subscriptionIds'])
@Index(['workspaceId', 'id'])
@Index(['workspaceId', 'retryState'], { where: 'retry_state IS NOT NULL' })
export class InvoiceRow extends SnapshotRow<Invoice> {
  @Column('text')
  status: InvoiceStatus;

  @Column('text')
  customerId: string;

  /** The subscriptions that the invoice bills. */
  @Column('jsonb')
  subscriptionIds: string[];

  /** The time at which the invoice was opened. The time is null for a draft, and for an invoice that was voided as a draft. */
  @InstantColumn({ nullable: true })
  issuedAt: Instant | null;

  @Column('text')
  currency: string;

  /** The amount due. For a paid invoice, the column has the amount that was paid instead. */
  @Column('numeric')
  amountDue: DecimalString;

  /**
   * The state of the payment retries. Null if no retry was ever planned, and for a paid invoice that is not `recovered`. Null also for an
   * invoice that a user voided or wrote off.
   */
  @Column('text', { nullable: true })
  retryState: RetryState | null;

  /** The time of the planned payment retry. Null if none is planned. */
  @InstantColumn({ nullable: true })
  nextAttemptAt: Instant | null;

  /** What the invoice and its credit notes add to tax reports. Empty for a draft. */
  @Column('jsonb')
  taxEntries: TaxEntry[];

  /** The earliest date of the tax entries, such as `2026-01-31`. Null if there are none. */
  @Column('text', { nullable: true })
  taxedFrom: string | null;

  /** The latest date of the tax entries. Null if there are none. */
  @Column('text', { nullable: true })
  taxedThrough: string | null;
}
