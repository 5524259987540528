import { deriveId, type Instant } from '#libs/core';
import {
  chargesDue,
  closingCharges,
  oneTimeCharges,
  openingCharges,
  type Charge,
  type Period,
} from '#libs/rating';
import type { Bill, BillingPeriod, BillKind, SubscriptionAgreement } from './events.js';

/** What bills are made of: a subscription, seen from its present period. */
export interface Billable extends Pick<
  SubscriptionAgreement,
  'subscriptionId' | 'customerId' | 'currency' | 'anchor' | 'timezone' | 'billingInterval' | 'items'
> {
  readonly period: BillingPeriod;
  readonly billCount: number;
}

/** The bill of the first period that is charged: what is paid in advance, and once. Null if that is nothing. */
export function firstBill(subscription: Billable): Bill | null {
  const { period, items } = subscription;
  const charges = [...openingCharges(subscription, period), ...oneTimeCharges(items, period.start)];
  return billOf(subscription, 'cycle', period.start, period, charges);
}

/** The bill of the period that begins as the subscription goes on after a pause: what is paid in advance. */
export function resumptionBill(subscription: Billable): Bill | null {
  const { period } = subscription;
  return billOf(subscription, 'resume', period.start, period, openingCharges(subscription, period));
}

/** The bill of the boundary at which the present period ends, for a subscription that goes on beyond it. */
export function cycleBill(subscription: Billable): Bill | null {
  const { index, end } = subscription.period;
  return billOf(subscription, 'cycle', end, subscription.period, chargesDue(subscription, index + 1));
}

/** The last bill, of a subscription that ends at `at`: what is in arrears up to there. */
export function finalBill(subscription: Billable, at: Instant): Bill | null {
  return closingBill(subscription, 'final', at);
}

/** The bill of a pause at `at`: what is in arrears up to there. */
export function pauseBill(subscription: Billable, at: Instant): Bill | null {
  return closingBill(subscription, 'pause', at);
}

/**
 * A bill of the usage up to `through`, within the present period, of the prices that may be billed in parts. What it
 * takes the next bills leave out. Null if there is no stretch of time to bill.
 */
export function usageBill(
  subscription: Billable,
  through: Instant,
  invoiceId: string,
  priceIds: readonly string[],
): Bill | null {
  const { index } = subscription.period;
  const charges = closingCharges(subscription, index, through).filter(
    ({ price }) => price.metricId !== null && priceIds.includes(price.priceId),
  );
  const start = charges.map(({ service }) => service.start).sort()[0] ?? through;
  const bill = billOf(subscription, 'interim', through, { start, end: through }, charges);
  return bill && { ...bill, invoiceId };
}

function closingBill(subscription: Billable, kind: BillKind, at: Instant): Bill | null {
  const { index, start } = subscription.period;
  return billOf(subscription, kind, at, { start, end: at }, closingCharges(subscription, index, at));
}

/** Periods are billed, and subscriptions end, once; what can happen several times at one instant is counted too. */
const ONCE: readonly BillKind[] = ['cycle', 'final'];

function billOf(
  { subscriptionId, customerId, currency, billCount }: Billable,
  kind: BillKind,
  billedAt: Instant,
  { start, end }: Period,
  charges: Charge[],
): Bill | null {
  if (charges.length === 0) return null;
  const more = ONCE.includes(kind) ? [] : [String(billCount)];
  return {
    invoiceId: deriveId('inv', subscriptionId, kind, billedAt, ...more),
    kind,
    subscriptionId,
    customerId,
    currency,
    billedAt,
    periodStart: start,
    periodEnd: end,
    charges,
  };
}
