import { Column, Entity, Index } from 'typeorm';
import { SnapshotRow } from '#libs/kernel/projection';
import type { Webhook } from '#libs/outputs/webhooks';

@Entity({ schema: 'read', name: 'webhooks' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class WebhookRow extends SnapshotRow<Webhook> {
  @Column('boolean')
  deleted: boolean;
}
