import { Column, Entity, Index } from 'typeorm';
import type { Customer } from '#libs/customers';
import { SnapshotRow } from '#libs/projection';

@Entity({ schema: 'read', name: 'customers' })
@Index(['accountId', 'createdPosition'])
@Index(['accountId', 'id'])
export class CustomerRow extends SnapshotRow<Customer> {
  @Column('boolean')
  deleted: boolean;
}
