import { deriveUlid, sumOf } from '#libs/kernel/core';
import {
  billingIntervalOf,
  computeInvoice,
  countedChargesWithPrices,
  isFeeInAdvance,
  chargesOwed,
  type Charge,
  type ItemToCharge,
  type MeasuredCharge,
  type MeasuredUsage,
  type RemainingFee,
  type InvoiceLine,
  type Period,
  type PriceSnapshot,
} from '#libs/rating';
import type {
  Bill,
  BillingPeriod,
  SubscriptionAgreement,
  ExistingSubscriptionCommand,
  SubscriptionCommand,
  SubscriptionEvent,
  TermsChange,
} from '#libs/contexts/subscriptions';

/** A subscription for specs of its decisions: monthly from 31 January 2026, 10:00 UTC. */
export const subscriptionId = 'sub_1';
export const customerId = 'cust_1';
export const about = { subscriptionId, customerId };
export const run = { runId: 'run_1', trigger: 'schedule' } as const;

/** Boundaries of a month that the next one lacks: 31 January, 28 February, 31 March. */
export const B0 = '2026-01-31T10:00:00.000Z';
export const B1 = '2026-02-28T10:00:00.000Z';
export const B2 = '2026-03-31T10:00:00.000Z';
export const B3 = '2026-04-30T10:00:00.000Z';
export const B12 = '2027-01-31T10:00:00.000Z';
const BOUNDARIES = [B0, B1, B2, B3];

/** Billing period `index`. */
export const month = (index: number): BillingPeriod => ({
  index,
  start: BOUNDARIES[index]!,
  end: BOUNDARIES[index + 1]!,
});

/** A monthly fee of 20 USD in arrears, unless it says otherwise. */
export const price = (priceId: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot => ({
  priceId,
  version: 1,
  name: priceId,
  config: { model: 'flat', amount: '20', currency: 'USD' },
  cadence: 'monthly',
  timing: 'in_arrears',
  metricId: null,
  ...more,
});
export const usage = price('usage', {
  config: { model: 'unit', unitPrice: '0.01', currency: 'USD' },
  cadence: 'usage_based',
  metricId: 'met_1',
});
export const ahead = price('ahead', { timing: 'in_advance' });
export const behind = price('behind');
export const yearly = price('yearly', { cadence: 'annual', timing: 'in_advance' });
export const quarterly = price('quarterly', { cadence: 'quarterly' });
export const setup = price('setup', { cadence: 'one_time', timing: 'in_advance' });

/** A price for usage with this size as JSON, within a few hundred bytes. */
export const priceOfSize = (priceId: string, bytes: number): PriceSnapshot => ({
  ...usage,
  priceId,
  config: {
    model: 'matrix',
    dimensions: ['region'],
    currency: 'USD',
    defaultUnitPrice: '1',
    cells: [{ values: ['x'.repeat(bytes)], unitPrice: '1' }],
  },
});

export const charge = (
  of: PriceSnapshot,
  start: string,
  end: string,
  period: Period = { start, end },
): Charge => ({
  price: of,
  service: { start, end },
  period,
});

/** A bill; `count` tells those of one instant apart, for kinds that can come several times. */
export const bill = (
  kind: Bill['kind'],
  billedAt: string,
  [periodStart, periodEnd]: [string, string],
  charges: Bill['charges'],
  count?: number,
): Bill => ({
  invoiceId: deriveUlid(
    'inv',
    billedAt,
    subscriptionId,
    kind,
    ...(count === undefined ? [] : [String(count)]),
  ),
  kind,
  subscriptionId,
  customerId,
  currency: 'USD',
  billedAt,
  periodStart,
  periodEnd,
  charges,
});

export const plan = (...prices: PriceSnapshot[]) => ({
  planId: 'plan_1',
  planVersion: 3,
  planName: 'Pro',
  currency: 'USD',
  prices,
});

type Creation = Extract<SubscriptionCommand, { type: 'CreateSubscription' }>;

/** Subscribes to a plan of these prices at B0, unless it says otherwise. */
export const create = (prices: PriceSnapshot[], more: Partial<Creation> = {}): Creation => ({
  type: 'CreateSubscription',
  subscriptionId,
  customerId,
  plan: plan(...prices),
  timezone: 'UTC',
  startsAt: B0,
  trialDays: 0,
  quantities: {},
  anchorDay: null,
  metadata: {},
  at: B0,
  ...more,
});

/** What {@link create} leads to. */
export const created = (
  prices: PriceSnapshot[],
  first: Bill | null,
  more: Partial<Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>['data']> = {},
): SubscriptionEvent => {
  const { prices: _, ...named } = plan();
  const agreement: Omit<SubscriptionAgreement, 'createdAt'> = {
    subscriptionId,
    customerId,
    ...named,
    timezone: 'UTC',
    anchor: B0,
    anchorDay: null,
    startedAt: B0,
    trialEnd: null,
    billingInterval: billingIntervalOf(prices),
    items: prices.map((of) => ({ price: of, quantity: '1', since: more.trialEnd ?? more.startedAt ?? B0 })),
    metadata: {},
  };
  // Without a bill, what is in advance counts as charged: few tests are about the opening bill.
  const isCharged = first === null && (more.phase ?? 'active') === 'active';
  const items = agreement.items.map((item) =>
    isCharged && isFeeInAdvance(item.price) ? { ...item, since: endOfOwed(agreement, item) } : item,
  );
  return {
    type: 'SubscriptionCreated',
    data: { at: B0, ...agreement, items, phase: 'active', period: month(0), bill: first, ...more },
  };
};

function endOfOwed(
  agreement: Pick<SubscriptionAgreement, 'timezone' | 'anchor'> & Parameters<typeof chargesOwed>[0],
  item: ItemToCharge,
): string {
  return chargesOwed(agreement, item, item.since).at(-1)!.service.end;
}

export const renewed = (index: number, cycle: Bill | null): SubscriptionEvent => ({
  type: 'SubscriptionRenewed',
  data: { ...about, period: month(index), bill: cycle, run },
});

export const canceled = (
  at: string,
  final: Bill | null,
  more: Partial<Extract<SubscriptionEvent, { type: 'SubscriptionCanceled' }>['data']> = {},
): SubscriptionEvent => ({
  type: 'SubscriptionCanceled',
  data: { ...about, at, reason: 'requested', bill: final, run: null, ...more },
});

export const cancellationScheduled = (cancelAt: string, atPeriodEnd = false): SubscriptionEvent => ({
  type: 'SubscriptionCancellationScheduled',
  data: { subscriptionId, cancelAt, ...(atPeriodEnd ? { atPeriodEnd } : {}) },
});

/** A change of the terms: of none, unless this says otherwise. */
export const termsChange = (change: Partial<TermsChange> = {}): TermsChange => ({
  plan: null,
  addPrices: [],
  removePrices: [],
  quantities: {},
  ...change,
});

type Amendment = Extract<ExistingSubscriptionCommand, { type: 'AmendSubscription' }>;

/** Changes the terms at once, on 14 February 2026 and with proration, unless it says otherwise. */
export const amend = (change: Partial<TermsChange>, more: Partial<Amendment> = {}): Amendment => ({
  type: 'AmendSubscription',
  subscriptionId,
  amendmentId: 'amd_1',
  kind: 'amend',
  change: termsChange(change),
  prorate: true,
  at: '2026-02-14T10:00:00.000Z',
  ...more,
});

/** Does what is due at `due`, by a clock that says `at`. */
export const pass = (
  due: string,
  at: string = due,
  more: Partial<Extract<ExistingSubscriptionCommand, { type: 'AdvanceSubscription' }>> = {},
): ExistingSubscriptionCommand => ({
  type: 'AdvanceSubscription',
  subscriptionId,
  due,
  at,
  run,
  ...more,
});

/**
 * The lines of the invoices that bills lead to, in order: what a later one gives back is limited by what an earlier one charged. `usageOf`:
 * what was used of a metered price, as a bill measures it; without it there are no lines of usage.
 */
export function linesOfBills(
  bills: readonly Bill[],
  usageOf?: (charge: Charge, bill: Bill) => MeasuredUsage,
): InvoiceLine[][] {
  const made = new Map<string, InvoiceLine[]>();
  const measured = (charges: readonly Charge[], bill: Bill): MeasuredCharge[] =>
    charges.flatMap((one) => {
      if (one.price.metricId === null) return [one];
      return usageOf ? [{ ...one, usage: usageOf(one, bill) }] : [];
    });
  for (const bill of bills) {
    const { invoiceId, currency, charges, commitment } = bill;
    const left = measured(charges, bill).map((one) =>
      one.refund ? { ...one, remainingFee: leftOf(one, [...made.entries()]) } : one,
    );
    const counted = commitment && {
      commitment: { ...commitment, counted: measured(countedChargesWithPrices(commitment), bill) },
    };
    made.set(invoiceId, computeInvoice({ invoiceId, currency, charges: left, ...counted }).lines);
  }
  return bills.map(({ invoiceId }) => made.get(invoiceId)!);
}

function leftOf(
  { price: of, quantity = '1', refund }: Charge,
  made: [string, InvoiceLine[]][],
): RemainingFee {
  const [, lines = []] = made.find(([invoiceId]) => invoiceId === refund!.invoiceId) ?? [];
  const line = lines.find(
    (one) =>
      one.type === 'flat' &&
      one.priceId === of.priceId &&
      one.priceVersion === of.version &&
      one.quantity === quantity &&
      one.periodStart === refund!.service.start &&
      one.periodEnd === refund!.service.end,
  );
  if (!line) return { lineId: '', net: '0', left: '0' };
  const back = made
    .flatMap(([, others]) => others)
    .filter(({ unused }) => unused?.lineId === line.id)
    .map(({ amount }) => amount);
  return { lineId: line.id, net: line.amount, left: sumOf([line.amount, ...back]).toFixed() };
}
