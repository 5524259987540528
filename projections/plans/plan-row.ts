import { Column, Entity, Index } from 'typeorm';
import type { PlanState } from '#libs/contexts/catalog';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'plans' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class PlanRow extends SnapshotRow<PlanState> {
  /** True if the plan is not deleted. A published plan and a plan without a published version are both live. */
  @Column('boolean')
  live: boolean;
}
