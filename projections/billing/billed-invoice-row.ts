import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString } from '#libs/kernel/core';

/** An invoice that a billing run decided on. */
@Entity({ schema: 'read', name: 'billed_invoices' })
@Index(['runId', 'position'])
@Index(['runId', 'currency', 'total'])
export class BilledInvoiceRow {
  @PrimaryColumn('text')
  invoiceId: string;

  @Column('text')
  runId: string;

  /** Null for several. */
  @Column('text', { nullable: true })
  subscriptionId: string | null;

  @Column('text')
  customerId: string;

  @Column('text')
  currency: string;

  /** Null until it is made. */
  @Column('numeric', { nullable: true })
  total: DecimalString | null;

  @Column('bigint')
  position: string;
}
