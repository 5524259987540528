import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString } from '#libs/kernel/core';
import type { SubscriptionItem } from '#libs/contexts/subscriptions';

/** The kinds of changes of recurring revenue. A pause of a subscription is a contraction, and a resumption is an expansion. */
export const MOVEMENT_KINDS = ['new', 'expansion', 'contraction', 'churn'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A change of a subscription's recurring revenue. */
export interface RecurringMovement {
  readonly month: string;
  readonly kind: MovementKind;
  /** The change. The change is below zero for contraction and churn. */
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

  /** The time zone in which the month of a change is determined. */
  @Column('text')
  timezone: string;

  /** False if the fees are not charged: in a trial, in a pause, before the start and after the end. */
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
