import { Column, Entity, Index } from 'typeorm';
import type { Metric } from '#libs/contexts/catalog';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'metrics' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class MetricRow extends SnapshotRow<Metric> {
  /** Tells whether the metric is not deleted. */
  @Column('boolean')
  live: boolean;
}
