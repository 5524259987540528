import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { QuantityLimits } from '../portal-session.js';

/**
 * A portal session of a customer. Only the SHA-256 of the session's token is stored. All times are from the machine's clock, not from the
 * workspace's clock.
 */
@Entity({ schema: 'identity', name: 'portal_sessions' })
export class PortalSession {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  /** The SHA-256 of the token of the session. */
  @Column('bytea')
  hash: Buffer;

  /** True if the customer can change the plan of its subscriptions in the portal. */
  @Column('boolean')
  allowPlanChanges: boolean;

  /** The limits of the units that the customer can choose for the fees of a new plan. Null if it cannot choose units. */
  @Column('jsonb', { nullable: true })
  quantityLimits: QuantityLimits | null;

  /** True if the customer can buy prepaid credits in the portal. */
  @Column('boolean')
  allowCreditPurchases: boolean;

  @InstantColumn()
  createdAt: Instant;

  @InstantColumn()
  expiresAt: Instant;

  @InstantColumn({ nullable: true })
  revokedAt: Instant | null;
}
