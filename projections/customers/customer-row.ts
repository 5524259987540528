import { Column, Entity, Index } from 'typeorm';
import type { Customer } from '#libs/contexts/customers';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'customers' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
@Index(['workspaceId', 'email'])
@Index(['workspaceId', 'externalId'])
export class CustomerRow extends SnapshotRow<Customer> {
  @Column('boolean')
  deleted: boolean;

  /** In lower case, for looking it up. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { nullable: true })
  externalId: string | null;
}

/** How an e-mail address is looked up: people write one and the same in different capitals. */
export function emailKey(email: string): string {
  return email.toLowerCase();
}
