import type { Decimal, DecimalString, Instant } from '#libs/core';
import { earnedEvenly } from '../recognition.js';
import { credit, debit } from '../transaction.js';
import { byPrice } from './by-price.js';
import type { BookedLine } from './invoice-book.js';
import type { ScheduledBooking } from './rule.js';

/** A part of what is deferred, and when it is earned. */
export interface DeferredPart {
  readonly priceId: string | null;
  readonly amount: DecimalString | Decimal;
  readonly at: Instant;
}

/** What moves deferred revenue to revenue, a booking for each moment at which something is earned. */
export function releases(number: string, deferred: readonly DeferredPart[]): ScheduledBooking[] {
  const byMoment = Map.groupBy(deferred, ({ at }) => at);
  return [...byMoment.keys()].sort().map((at) => ({
    at,
    description: `Invoice ${number}, earned through ${at.slice(0, 10)}`,
    postings: byPrice(byMoment.get(at)!).flatMap(({ priceId, amount }) => [
      debit('deferred_revenue', amount, priceId),
      credit('revenue', amount, priceId),
    ]),
  }));
}

/** What is earned of an invoice's lines after a moment. */
export function releasesAfter(
  number: string,
  lines: readonly BookedLine[],
  after: Instant,
  currency: string,
): ScheduledBooking[] {
  const parts = lines.flatMap(({ priceId, deferral }) => {
    if (deferral === undefined) return [];
    const { amount, ...period } = deferral;
    return earnedEvenly(amount, period, currency).map((part) => ({ priceId, ...part }));
  });
  return releases(
    number,
    parts.filter(({ at }) => at > after),
  );
}
