import { Column, Entity, Index } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import type { Invoice, InvoiceStatus } from '#libs/contexts/invoicing';
import { InstantColumn } from '#libs/kernel/postgres';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'invoices' })
@Index(['accountId', 'createdPosition'])
@Index(['accountId', 'customerId', 'createdPosition'])
@Index(['accountId', 'status', 'createdPosition'])
@Index(['accountId', 'issuedAt'])
@Index(['subscriptionIds'])
@Index(['accountId', 'id'])
export class InvoiceRow extends SnapshotRow<Invoice> {
  @Column('text')
  status: InvoiceStatus;

  @Column('text')
  customerId: string;

  /** All that it bills. */
  @Column('jsonb')
  subscriptionIds: string[];

  /** Null while it is a draft, and if it was voided as one. */
  @InstantColumn({ nullable: true })
  issuedAt: Instant | null;
}
