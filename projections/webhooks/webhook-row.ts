import { Column, Entity, Index } from 'typeorm';
import { SnapshotRow } from '#libs/projection';
import type { Webhook } from '#libs/webhooks';

@Entity({ schema: 'read', name: 'webhooks' })
@Index(['accountId', 'createdPosition'])
@Index(['accountId', 'id'])
export class WebhookRow extends SnapshotRow<Webhook> {
  @Column('boolean')
  deleted: boolean;
}
