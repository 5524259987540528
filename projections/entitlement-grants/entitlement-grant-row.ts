import { Column, Entity, Index } from 'typeorm';
import type { EntitlementGrant } from '#libs/contexts/entitlements';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'entitlement_grants' })
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class EntitlementGrantRow extends SnapshotRow<EntitlementGrant> {
  @Column('text')
  customerId: string;

  /** Tells whether the grant was removed. Removed grants are not listed. */
  @Column('boolean')
  removed: boolean;
}
