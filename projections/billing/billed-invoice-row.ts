import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString } from '#libs/kernel/core';

/** An invoice that a billing run decided to create. */
@Entity({ schema: 'read', name: 'billed_invoices' })
@Index(['runId', 'position'])
@Index(['runId', 'currency', 'total'])
export class BilledInvoiceRow {
  @PrimaryColumn('text')
  invoiceId: string;

  /** The id of the billing run. */
  @Column('text')
  runId: string;

  /** The subscription that the invoice bills. Null if it bills several. */
  @Column('text', { nullable: true })
  subscriptionId: string | null;

  @Column('text')
  customerId: string;

  @Column('text')
  currency: string;

  /** The total of the invoice, with taxes. The total is null until the invoice is created. */
  @Column('numeric', { nullable: true })
  total: DecimalString | null;

  /** The position of the billing decision in the event log. A run's invoices are listed in the order of this position. */
  @Column('bigint')
  position: string;
}
