import { Decimal } from 'decimal.js';
import { addMonths, DAY, iso, type Moment } from './calendar.ts';
import { type Charge, type GiveBack } from './charge.ts';
import { differ, sum, type Finding } from './properties.ts';

/** What a model has that revenue comes from. */
export interface Earning {
  readonly charges: readonly Charge[];
  readonly giveBacks: readonly GiveBack[];
  readonly monthEnds: readonly MonthEnd[];
}

/** What was earned and not invoiced at the end of a month, as it was measured then or when the month was closed. */
export interface MonthEnd {
  /** The first instant of the next month. */
  readonly at: Moment;
  readonly fees: Decimal;
  usage: Decimal;
}

/** What reports show of a customer: earned from the first month on, and what is deferred and unbilled at the end. */
export interface SeenRevenue {
  readonly recognised: number;
  readonly deferred: number;
  readonly unbilled: number;
  readonly booked: number;
}

/** A month as the summary of all customers shows it. */
export interface SeenMonth {
  readonly month: string;
  readonly currency: string;
  readonly status: 'open' | 'closed';
  readonly recognised: number;
  readonly booked: number;
  readonly billed: number;
  readonly deferred: number;
  readonly unbilled: number;
}

/** Each amount of a line is rounded to the cent, and so is what was earned of it. */
const CENT = new Decimal('0.01');

/** The first instant of the month that an instant lies in. */
export function monthOf(at: Moment): Moment {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function nextMonth(at: Moment): Moment {
  return addMonths(monthOf(at), 1);
}

/** The month before an end of a month: `2026-01`. */
export function nameOf(end: Moment): string {
  return iso(end - DAY).slice(0, 7);
}

/**
 * What was earned and what is deferred by the end of a month, by docs/revenue.md: a fee in advance evenly over its time, all else when it
 * is invoiced, and what is not invoiced as it was measured. It knows no prepaid credits.
 */
export function revenueAt(
  { charges, giveBacks }: Earning,
  { at: end, fees, usage }: MonthEnd,
): { recognised: Decimal; deferred: Decimal; unbilled: Decimal } {
  const unbilled = fees.plus(usage);
  const parts: Part[] = [];
  for (const charge of charges.filter((one) => stands(one, end))) {
    const { from, to, isAdvance } = charge;
    const time = isAdvance ? { from, to } : null;
    parts.push({ amount: charge.amount.times(charge.kept), time });
    for (const { at, amount, stoodTo } of charge.credited)
      if (at < end) parts.push({ amount: amount.negated(), time: time && { from, to: stoodTo } });
  }
  for (const { at, charge, stoodTo, amount, undoneAt } of giveBacks)
    if (at < end && (undoneAt === null || undoneAt >= end) && stands(charge, end))
      parts.push({ amount: amount.negated(), time: { from: Math.max(at, charge.from), to: stoodTo } });
  const deferred = sum(parts.map(({ amount, time }) => amount.times(time ? shareAfter(time, end) : 0)));
  return {
    recognised: sum(parts.map(({ amount }) => amount))
      .minus(deferred)
      .plus(unbilled),
    deferred,
    unbilled,
  };
}

/** An amount, and the time that it is earned in; null: when it is invoiced. */
interface Part {
  readonly amount: Decimal;
  readonly time: { readonly from: Moment; readonly to: Moment } | null;
}

function stands({ at, voidedAt }: Charge, end: Moment): boolean {
  return at < end && (voidedAt === null || voidedAt >= end);
}

function shareAfter({ from, to }: { from: Moment; to: Moment }, end: Moment): Decimal {
  if (end >= to) return new Decimal(0);
  return new Decimal(to - Math.max(from, end)).div(to - from);
}

/** The figures of a customer at the end of a month against the model's. Without `isFull` only that they agree with each other. */
export function compareRevenue(model: Earning, end: MonthEnd, seen: SeenRevenue, isFull: boolean): Finding[] {
  const name = `the customer's revenue to the end of ${nameOf(end.at)}`;
  const agrees = new Decimal(seen.recognised).plus(seen.deferred).eq(seen.booked);
  if (!agrees) return differ('revenue', name, 'recognised + deferred = booked', JSON.stringify(seen));
  if (!isFull) return [];
  const expected = revenueAt(model, end);
  const count = model.charges.length + model.giveBacks.length + 1;
  const tolerance = CENT.times(2 * count);
  const isRight = (['recognised', 'deferred', 'unbilled'] as const).every((figure) =>
    expected[figure].minus(seen[figure]).abs().lte(tolerance),
  );
  if (isRight) return [];
  return differ('revenue', name, shown(expected), shown(seen));
}

/** The summary of all customers: each month agrees with itself and the one before, and closed months stay as they were. */
export function checkSummary(months: readonly SeenMonth[], closed: readonly SeenMonth[]): Finding[] {
  const findings: Finding[] = [];
  for (const [index, month] of months.entries()) {
    const before = months[index - 1];
    if (!before) continue;
    const change = (of: (one: SeenMonth) => number): Decimal => new Decimal(of(month)).minus(of(before));
    const booked = new Decimal(month.recognised).plus(change((one) => one.deferred));
    const billed = booked.minus(change((one) => one.unbilled));
    findings.push(
      ...differ(
        'revenue',
        `the summary of ${month.month}`,
        `${booked.toFixed(2)} booked, ${billed.toFixed(2)} billed`,
        `${month.booked.toFixed(2)} booked, ${month.billed.toFixed(2)} billed`,
      ),
    );
  }
  for (const frozen of closed) {
    const shownNow = months.find(({ month }) => month === frozen.month);
    findings.push(
      ...differ('revenue', `the closed month ${frozen.month}`, monthText(frozen), monthText(shownNow)),
    );
  }
  return findings;
}

function monthText(month: SeenMonth | undefined): string {
  return month ? `${month.status}, ${shown(month)}, ${month.billed.toFixed(2)} billed` : 'nothing';
}

function shown(of: Record<'recognised' | 'deferred' | 'unbilled', Decimal | number>): string {
  return (['recognised', 'deferred', 'unbilled'] as const)
    .map((figure) => `${new Decimal(of[figure]).toFixed(2)} ${figure}`)
    .join(', ');
}
