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

  /** The e-mail address in lower case, for searches. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { nullable: true })
  externalId: string | null;
}

/**
 * Returns the form in which an e-mail address is stored for searches. The stored form is in lower case, because people write the same
 * address in upper and lower case.
 */
export function lowerCaseEmail(email: string): string {
  return email.toLowerCase();
}
