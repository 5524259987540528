import { Column, Entity, Index } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import { SnapshotRow } from '#libs/kernel/projection';
import type { Subscription, SubscriptionStatus } from '#libs/contexts/subscriptions';

@Entity({ schema: 'read', name: 'subscriptions' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'externalId'])
@Index(['workspaceId', 'nextBillingAt', 'id'])
@Index(['workspaceId', 'status', 'createdPosition'])
@Index(['workspaceId', 'planId', 'live', 'id'])
@Index(['priceIds'])
@Index(['priceMigrationIds'])
export class SubscriptionRow extends SnapshotRow<Subscription> {
  @Column('text')
  customerId: string;

  @Column('text')
  planId: string;

  /** The ids of the subscription's prices. */
  @Column('jsonb')
  priceIds: string[];

  /** The ids of the price migrations that have moved the subscription. */
  @Column('jsonb')
  priceMigrationIds: string[];

  @Column('text')
  status: SubscriptionStatus;

  /** The id that the integrator gave the subscription. Null if the integrator gave no id. */
  @Column('text', { nullable: true })
  externalId: string | null;

  /** Tells whether the subscription has not ended. */
  @Column('boolean')
  live: boolean;

  /**
   * The time of the subscription's next due change, which is usually the end of its billing period. The time is null if no change is
   * planned.
   */
  @InstantColumn({ nullable: true })
  nextBillingAt: Instant | null;
}
