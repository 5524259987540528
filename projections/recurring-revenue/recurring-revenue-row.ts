import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString } from '#libs/kernel/core';
import type { SubscriptionItem } from '#libs/contexts/subscriptions';

/** The reasons for a change of the recurring revenue. A pause is a contraction, and a resumption is an expansion. */
export const MOVEMENT_KINDS = ['new', 'expansion', 'contraction', 'churn'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A change of a subscription's recurring revenue. */
export interface RecurringMovement {
  readonly month: string;
  readonly kind: MovementKind;
  /** The change. It is below zero for contraction and churn. */
  readonly amount: DecimalString;
}

/** The monthly recurring revenue of a subscription, with all its changes. */
@Entity({ schema: 'read', name: 'recurring_revenue' })
@Index(['workspaceId', 'currency'])
export class RecurringRevenueRow {
  @PrimaryColumn('text')
  stream: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  subscriptionId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  currency: string;

  /** The time zone whose months the movements have. */
  @Column('text')
  timezone: string;

  /** False in a trial, in a pause, before the start and after the end. */
  @Column('boolean')
  charged: boolean;

  /** The recurring fees. */
  @Column('jsonb')
  items: SubscriptionItem[];

  /** The present monthly amount. */
  @Column('numeric')
  amount: DecimalString;

  @Column('jsonb')
  movements: RecurringMovement[];
}
