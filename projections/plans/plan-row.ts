import { Column, Entity, Index } from 'typeorm';
import type { PlanState } from '#libs/contexts/catalog';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'plans' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class PlanRow extends SnapshotRow<PlanState> {
  /** Tells whether the plan is not deleted. */
  @Column('boolean')
  live: boolean;
}
