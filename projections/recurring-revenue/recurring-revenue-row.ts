import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { LicenseCounts } from '#libs/contexts/licenses';
import type { DecimalString } from '#libs/kernel/core';
import type { SubscriptionItem } from '#libs/contexts/subscriptions';

/** The kinds of changes of recurring revenue. A pause of a subscription is a contraction, and a resumption is an expansion. */
export const MOVEMENT_KINDS = ['new', 'expansion', 'contraction', 'churn'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A change of a subscription's recurring revenue. */
export interface RecurringMovement {
  /** The month of the change in the subscription's time zone, such as `2026-01`. */
  readonly month: string;
  readonly kind: MovementKind;
  /** The change of the monthly recurring revenue. The change is below zero for contraction and churn. */
  readonly amount: DecimalString;
}

/** The monthly recurring revenue of a subscription, with all its changes. */
@Entity({ schema: 'read', name: 'recurring_revenue' })
@Index(['workspaceId', 'currency'])
export class RecurringRevenueRow {
  /** The name of the event stream of the subscription. */
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

  /** The prices of the subscription that are recurring fees, with their quantities. */
  @Column('jsonb')
  items: SubscriptionItem[];

  /** The customer's licenses, as the subscription has counted them so far. Null if the subscription has never counted licenses. */
  @Column('jsonb', { nullable: true })
  licenses: LicenseCounts | null;

  /** The present monthly recurring revenue. Zero while the fees are not charged. */
  @Column('numeric')
  amount: DecimalString;

  /** All changes of the monthly recurring revenue, oldest first. */
  @Column('jsonb')
  movements: RecurringMovement[];
}
