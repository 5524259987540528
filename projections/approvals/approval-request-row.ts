import { Column, Entity, Index } from 'typeorm';
import type { ApprovalAction, ApprovalRequest, ApprovalStatus } from '#libs/contexts/approvals';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'approvals' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
@Index(['workspaceId', 'status', 'createdPosition'])
@Index(['workspaceId', 'action', 'createdPosition'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
export class ApprovalRequestRow extends SnapshotRow<ApprovalRequest> {
  @Column('text')
  status: ApprovalStatus;

  @Column('text')
  action: ApprovalAction;

  /** The customer that the requested action is about. Null if it is about no single customer. */
  @Column('text', { nullable: true })
  customerId: string | null;
}
