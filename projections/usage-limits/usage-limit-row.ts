import { Column, Entity, Index } from 'typeorm';
import type { UsageLimit } from '#libs/contexts/usage-limits';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'usage_limits' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'metricId', 'createdPosition'])
export class UsageLimitRow extends SnapshotRow<UsageLimit> {
  /** The customer of the limit. If the customer is null, the limit applies to each customer of the workspace. */
  @Column('text', { nullable: true })
  customerId: string | null;

  @Column('text')
  metricId: string;

  @Column('boolean')
  deleted: boolean;
}
