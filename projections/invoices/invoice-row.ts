import { Column, Entity, Index } from 'typeorm';
import type { Invoice, InvoiceStatus } from '#libs/invoicing';
import { SnapshotRow } from '#libs/projection';

@Entity({ schema: 'read', name: 'invoices' })
@Index(['accountId', 'createdPosition'])
@Index(['accountId', 'customerId', 'createdPosition'])
@Index(['accountId', 'status', 'createdPosition'])
@Index(['accountId', 'id'])
export class InvoiceRow extends SnapshotRow<Invoice> {
  @Column('text')
  status: InvoiceStatus;

  @Column('text')
  customerId: string;
}
