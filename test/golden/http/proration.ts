import { Decimal, jsonNumber, jsonNumbers, sumOf } from '#libs/kernel/core';
import type { RecurringCadence } from '#libs/rating';
import { instantOf, textOf, type GoldenPeriod } from '../adapter/instants.ts';
import { daysAfter, type Account, type Line } from './account.ts';

/** What a period of this length is one of. */
export function cadenceOf({ start, end }: GoldenPeriod): RecurringCadence {
  const days = (Date.parse(end) - Date.parse(start)) / 86_400_000;
  return days <= 31 ? 'monthly' : days <= 92 ? 'quarterly' : 'annual';
}

const dayOf = (instant: string) => Number(instant.slice(8, 10));

/** Subscribes at the period's start, to these prices besides one that costs nothing, so that the period is there without them. */
async function subscribeFor(
  account: Account,
  period: GoldenPeriod,
  priceIds: string[],
  more: object = {},
): Promise<string> {
  await account.goTo(period.start);
  const carrier = await account.fee({ amount: '0', cadence: cadenceOf(period) });
  const anchorDay = Math.max(dayOf(period.start), dayOf(period.end));
  const { id } = await account.subscribe([carrier, ...priceIds], { anchorDay, ...more });
  return id as string;
}

const amend = (account: Account, id: string, change: object) =>
  account.post(`/v1/subscriptions/${id}/amend`, change);

async function cancel(account: Account, id: string): Promise<void> {
  await account.post(`/v1/subscriptions/${id}/cancel`, { immediately: true });
  await account.settle();
}

const total = (account: Account, lines: readonly Line[]) =>
  account.money(sumOf(lines.map(({ amount }) => amount)));

interface StubCase {
  full_price: string;
  service: GoldenPeriod;
  period: GoldenPeriod;
}

/** A fee in arrears, which is added when the service begins; the subscription is cancelled when it ends. */
export async function stub(account: Account, { full_price, service, period }: StubCase) {
  const fee = await account.fee({ amount: full_price, cadence: cadenceOf(period), timing: 'in_arrears' });
  const isFromStart = service.start === period.start;
  const id = await subscribeFor(account, period, isFromStart ? [fee] : []);
  if (!isFromStart) {
    await account.goTo(service.start);
    await amend(account, id, { addPrices: [fee] });
  }
  await account.goTo(service.end);
  if (service.end === period.end) await account.bill();
  else await cancel(account, id);
  return { amount: total(account, await account.linesOf(fee)) };
}

interface Change {
  item: string;
  action: 'remove' | 'add';
  unit_price: string;
  quantity: string;
  at: string;
  billed?: string;
}

/** All changes at one instant are one amendment. */
export async function prorate(
  account: Account,
  { period, changes }: { period: GoldenPeriod; changes: Change[] },
) {
  const prices = new Map<string, string>();
  const nameOf = ({ item, unit_price }: Change) => `${item} at ${unit_price}`;
  for (const change of changes)
    if (!prices.has(nameOf(change)))
      prices.set(
        nameOf(change),
        await account.fee({ amount: change.unit_price, cadence: cadenceOf(period) }),
      );
  const idsOf = (wanted: Change['action'], other: Change['action']) => {
    const named = (action: string) => changes.filter((change) => change.action === action).map(nameOf);
    return named(wanted)
      .filter((name) => !named(other).includes(name))
      .map((name) => prices.get(name)!);
  };
  const quantitiesOf = (action: Change['action']) =>
    changes
      .filter((change) => change.action === action)
      .map((change) => ({ priceId: prices.get(nameOf(change))!, quantity: jsonNumber(change.quantity) }));
  const removed = changes.filter(({ action }) => action === 'remove');
  const id = await subscribeFor(
    account,
    period,
    removed.map((change) => prices.get(nameOf(change))!),
    { quantities: quantitiesOf('remove') },
  );
  await giveBack(account, removed, (change) => prices.get(nameOf(change))!);
  await account.goTo(changes[0]!.at);
  const { invoice } = await amend(account, id, {
    addPrices: idsOf('add', 'remove'),
    removePrices: idsOf('remove', 'add'),
    quantities: quantitiesOf('add'),
  });
  const { lines, ...amended } = account.read(invoice as never);
  const lineOf = (change: Change) =>
    lines.find(
      ({ priceId, amount }) =>
        priceId === prices.get(nameOf(change)) && amount.startsWith('-') === (change.action === 'remove'),
    );
  return {
    lines: changes.map((change) => ({ item: change.item, amount: lineOf(change)?.amount })),
    net: account.money(new Decimal(amended.total).minus(amended.balanceCredited)),
  };
}

/** What was billed less than its price was given back by a credit note. */
async function giveBack(
  account: Account,
  removed: readonly Change[],
  priceIdOf: (change: Change) => string,
): Promise<void> {
  for (const change of removed) {
    const full = new Decimal(change.unit_price).times(change.quantity);
    const less = full.minus(change.billed ?? full);
    if (less.isZero()) continue;
    await account.settle();
    const [first] = await account.invoices();
    await account.post(`/v1/invoices/${first!.id}/approve`);
    const { id: lineId } = first!.lines.find(({ priceId }) => priceId === priceIdOf(change))!;
    const lines = [{ lineId, amount: jsonNumber(less.toFixed()) }];
    await account.post(`/v1/invoices/${first!.id}/credit-note`, { reason: 'other', lines });
  }
}

interface SplitCase {
  old_price: string;
  new_price: string;
  at: string;
  period: GoldenPeriod;
}

/** In arrears: each price for its own part. */
export async function prorate_split(account: Account, { old_price, new_price, at, period }: SplitCase) {
  const cadence = cadenceOf(period);
  const [before, after] = await Promise.all(
    [old_price, new_price].map((amount) => account.fee({ amount, cadence, timing: 'in_arrears' })),
  );
  const id = await subscribeFor(account, period, [before!]);
  await account.goTo(at);
  await amend(account, id, { addPrices: [after], removePrices: [before] });
  await account.goTo(period.end);
  await account.bill();
  const parts = [await account.linesOf(before!), await account.linesOf(after!)] as const;
  return {
    old_part: total(account, parts[0]),
    new_part: total(account, parts[1]),
    total: total(account, parts.flat()),
  };
}

interface SegmentsCase {
  cadence: RecurringCadence;
  anchor: string;
  start: string;
  end: string;
  full_price: string;
}

/** In arrears, subscribed in the past and cancelled now. The number of periods is not told over HTTP. */
export async function segments(account: Account, { cadence, anchor, start, end, full_price }: SegmentsCase) {
  await account.goTo(end);
  const fee = await account.fee({ amount: full_price, cadence, timing: 'in_arrears' });
  const { id } = await account.subscribe([fee], {
    startsAt: start,
    ...(start === anchor ? {} : { anchorDay: dayOf(anchor) }),
  });
  await account.bill();
  await cancel(account, id as string);
  const lines = await account.linesOf(fee);
  return {
    segments: lines.map(({ amount, periodStart, periodEnd }) => ({
      start: textOf(periodStart),
      end: textOf(periodEnd),
      amount,
    })),
  };
}

interface CommitmentCase {
  minimum: string;
  fees: string[];
  coupon_discount?: string;
  days?: number;
  of_days?: number;
}

/** Periods by their lengths, and when there is one. */
const PERIODS: Record<number, GoldenPeriod> = {
  1: { start: '2024-01-01T00:00:00Z', end: '2024-02-01T00:00:00Z' },
  28: { start: '2023-02-01T00:00:00Z', end: '2023-03-01T00:00:00Z' },
  31: { start: '2024-01-01T00:00:00Z', end: '2024-02-01T00:00:00Z' },
  91: { start: '2024-01-01T00:00:00Z', end: '2024-04-01T00:00:00Z' },
};

/** The fees are usage, one event of each; a subscription that has not lived for the whole period was cancelled. */
export async function commitment(account: Account, given: CommitmentCase) {
  const { minimum, fees, coupon_discount: discount, days = 1, of_days = 1 } = given;
  const period = PERIODS[of_days]!;
  await account.goTo(period.start);
  const metricId = await account.id('/v1/metrics', {
    name: 'Fees',
    eventName: 'fee',
    aggregation: { type: 'count' },
  });
  const priceIds = await Promise.all(
    fees.map((fee) => {
      const config = { model: 'unit', unitPrice: jsonNumber(fee), currency: account.currency };
      return account.id('/v1/prices', { name: 'Fee', metricId, config, cadence: 'usage_based' });
    }),
  );
  const coupon = { name: 'Coupon', currency: account.currency, ...jsonNumbers({ amountOff: discount }) };
  const coupons = discount === undefined ? [] : [await account.id('/v1/coupons', coupon)];
  const carrier = await account.fee({ amount: '0', cadence: cadenceOf(period) });
  const { id } = await account.subscribe(
    [carrier, ...priceIds],
    { coupons },
    { minimumCommitment: jsonNumber(minimum) },
  );
  await account.goTo(daysAfter(period.start, days / 2));
  await account.post('/v1/events', {
    customerId: account.customerId,
    eventName: 'fee',
    timestamp: instantOf(period.start),
    properties: {},
  });
  if (days === of_days) {
    await account.goTo(period.end);
    await account.bill();
  } else {
    await account.goTo(daysAfter(period.start, days));
    await cancel(account, id as string);
  }
  const lines = (await account.invoices()).flatMap((invoice) => invoice.lines);
  return {
    true_up: total(
      account,
      lines.filter(({ type, priceId }) => type === 'minimum' && priceId === null),
    ),
  };
}

interface UnusedCase {
  full_price: string;
  period: GoldenPeriod;
  service_end: string;
}

export async function unused(account: Account, { full_price, period, service_end }: UnusedCase) {
  const fee = await account.fee({ amount: full_price, cadence: cadenceOf(period) });
  const id = await subscribeFor(account, period, [fee]);
  await account.goTo(service_end);
  await cancel(account, id);
  const credit = (await account.linesOf(fee)).filter(({ type }) => type === 'credit');
  return { credit: account.money(sumOf(credit.map(({ amount }) => amount)).negated()) };
}
