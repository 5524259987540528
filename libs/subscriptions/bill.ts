import { deriveId, type Instant } from '#libs/core';
import { chargesDue, closingCharges, lengthOf, type Charge } from '#libs/rating';
import type { Bill, BillingPeriod, BillKind, SubscriptionAgreement } from './events.js';

/** What bills are made of: a subscription, seen from its present period. */
export interface Billable extends Pick<
  SubscriptionAgreement,
  'subscriptionId' | 'customerId' | 'currency' | 'anchor' | 'timezone' | 'prices'
> {
  readonly period: BillingPeriod;
  /** By price: up to where its usage is on an interim invoice already. */
  readonly billedThrough: Readonly<Record<string, Instant>>;
}

/** The bill of the subscription's start: what is paid in advance, and once. Null if that is nothing. */
export function firstBill(subscription: Billable): Bill | null {
  const { start } = subscription.period;
  return billOf(subscription, 'cycle', start, subscription.period, chargesDue(subscription, 0));
}

/** The bill of the boundary at which the present period ends, for a subscription that goes on beyond it. */
export function cycleBill(subscription: Billable): Bill | null {
  const { index, end } = subscription.period;
  const charges = unbilled(subscription, chargesDue(subscription, index + 1));
  return billOf(subscription, 'cycle', end, subscription.period, charges);
}

/** The last bill, of a subscription that ends at `at`: what is in arrears up to there. */
export function finalBill(subscription: Billable, at: Instant): Bill | null {
  const period = { start: subscription.period.start, end: at };
  return billOf(subscription, 'final', at, period, openCharges(subscription, at));
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
  const charges = openCharges(subscription, through).filter(
    ({ price }) => price.metricId !== null && priceIds.includes(price.priceId),
  );
  const start = charges.map(({ service }) => service.start).sort()[0] ?? through;
  const bill = billOf(subscription, 'interim', through, { start, end: through }, charges);
  return bill && { ...bill, invoiceId };
}

/** What is in arrears at `at`: the running periods up to there, without what earlier bills have taken. */
function openCharges(subscription: Billable, at: Instant): Charge[] {
  // At the very start of a period, the ones that have just ended were billed by the renewal.
  const open = closingCharges(subscription, at).filter(
    ({ period }) => period.end > subscription.period.start,
  );
  return unbilled(subscription, open).filter(({ service }) => lengthOf(service) > 0);
}

function unbilled({ billedThrough }: Billable, charges: Charge[]): Charge[] {
  return charges.map((charge) => {
    const through = billedThrough[charge.price.priceId];
    if (through === undefined || through <= charge.service.start) return charge;
    return { ...charge, service: { ...charge.service, start: through } };
  });
}

function billOf(
  { subscriptionId, customerId, currency }: Billable,
  kind: BillKind,
  billedAt: Instant,
  { start, end }: { start: Instant; end: Instant },
  charges: Charge[],
): Bill | null {
  if (charges.length === 0) return null;
  return {
    invoiceId: deriveId('inv', subscriptionId, kind, billedAt),
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
