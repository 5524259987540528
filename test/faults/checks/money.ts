import { Decimal } from '#libs/kernel/core';
import { EVENT_NAME, FEE, UNIT_PRICE } from '../load/workspace.ts';
import type { Facts, Invoice, Subscription } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { acceptedUsage } from './writes.ts';

/** No invoice may be missing, doubled or for another amount than the acknowledged usage comes to. */
export function checkInvoices({ workspace, subscriptions, invoices, entries, clock }: Facts): Finding[] {
  const bySubscription = Map.groupBy(invoices, ({ subscriptionId }) => subscriptionId ?? 'none');
  const units = unitsByMonth(entries);
  const charged = subscriptions.filter(({ planId }) => planId === workspace.planId);
  const findings = charged.flatMap((subscription) => {
    const expected = expectedInvoices(subscription, clock, units);
    const found = (bySubscription.get(subscription.id) ?? []).map(summary);
    return compare(`Subscription ${subscription.id}`, expected, found);
  });
  const known = new Set(subscriptions.map(({ id }) => id));
  for (const { id, subscriptionId, kind } of invoices)
    if (kind !== 'credit_purchase' && !known.has(subscriptionId ?? ''))
      findings.push(doubled(`Invoice ${id} is for nobody who subscribed`));
  return [...findings, ...checkNumbers(invoices)];
}

/** What an invoice says in one line: for when, for what, how much. Another check reckons the credits that nobody had. */
function summary({ lines, total }: Invoice): string {
  const fee = lines.find(({ type }) => type === 'flat');
  const used = lines.find(({ type }) => type === 'usage');
  const overage = sumOfAmounts(lines.filter(({ type }) => type === 'overage'));
  return describe(
    fee?.periodStart ?? 'no fee',
    used?.quantity ?? 0,
    new Decimal(total).minus(overage).toNumber(),
  );
}

export function sumOfAmounts(changes: readonly { amount: number }[]): Decimal {
  return changes.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
}

const describe = (period: string, quantity: number, total: number): string =>
  `fee from ${period}, ${quantity} units, total ${total}`;

/** One at the start, for the first fee, and one at each boundary, for the next fee and the month's usage. */
function expectedInvoices(
  { startedAt, customerId }: Subscription,
  clock: string,
  units: ReadonlyMap<string, Decimal>,
): string[] {
  const expected = [describe(startedAt, 0, FEE)];
  for (let start = startedAt; ;) {
    const end = nextMonth(start);
    if (end > clock) return expected;
    const used = units.get(`${customerId} ${start}`) ?? new Decimal(0);
    expected.push(describe(end, used.toNumber(), used.times(UNIT_PRICE).plus(FEE).toNumber()));
    start = end;
  }
}

function unitsByMonth(entries: Facts['entries']): Map<string, Decimal> {
  const units = new Map<string, Decimal>();
  for (const { customerId, eventName, timestamp, properties } of acceptedUsage(entries).values()) {
    if (eventName !== EVENT_NAME) continue;
    const key = `${customerId} ${timestamp.slice(0, 7)}-01T00:00:00.000Z`;
    units.set(key, (units.get(key) ?? new Decimal(0)).plus(properties.units));
  }
  return units;
}

export function nextMonth(start: string): string {
  const date = new Date(start);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return date.toISOString();
}

/** Names what is missing of the expected and what is there besides, each as often as it is. */
function compare(what: string, expected: string[], found: string[]): Finding[] {
  const left = [...found];
  const missing = expected.filter((one) => {
    const index = left.indexOf(one);
    if (index < 0) return true;
    left.splice(index, 1);
    return false;
  });
  return [
    ...missing.map((one) => lost(`${what} has no invoice with ${one}`)),
    ...left.map((one) => doubled(`${what} has an invoice too many, with ${one}`)),
  ];
}

/** Numbers are consecutive in a workspace, and every open, paid or void invoice has one. */
function checkNumbers(invoices: readonly Invoice[]): Finding[] {
  const numbers = invoices.map(({ number }) => number ?? 'none').sort();
  return numbers.flatMap((number, index) => {
    const expected = `INV-${String(index + 1).padStart(6, '0')}`;
    return number === expected
      ? []
      : [wrong(`The invoice that must be number ${expected} is number ${number}`)];
  });
}
