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

  /** The prices that it has, of whatever version. */
  @Column('jsonb')
  priceIds: string[];

  /** The price migrations that have moved it. */
  @Column('jsonb')
  priceMigrationIds: string[];

  @Column('text')
  status: SubscriptionStatus;

  /** Null if the integrator gave it none. */
  @Column('text', { nullable: true })
  externalId: string | null;

  /** Whether it has not ended. */
  @Column('boolean')
  live: boolean;

  /** When something becomes due next, mostly the end of its period; null if nothing will by itself. */
  @InstantColumn({ nullable: true })
  nextBillingAt: Instant | null;
}
