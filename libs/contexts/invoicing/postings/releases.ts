import { dayIn, type Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import { creditPosting, debitPosting, earnedPartsAfter, type ScheduledBooking } from '#libs/contexts/ledger';
import { sumByPrice } from './sum-by-price.js';
import { bookingFieldsOf, type BookedLine, type OpenInvoicePostingState } from './invoice-posting-state.js';

/** A part of a deferred amount. */
export interface DeferredPart {
  readonly priceId: string | null;
  readonly amount: DecimalString | Decimal;
  /** The instant at which the part is earned. */
  readonly at: Instant;
}

/**
 * The scheduled bookings that move deferred revenue to revenue. There is one booking for each instant at which a part of the deferred
 * revenue is earned.
 */
export function revenueReleases(
  { number, timezone }: Pick<OpenInvoicePostingState, 'number' | 'timezone'>,
  deferred: readonly DeferredPart[],
): ScheduledBooking[] {
  const byMoment = Map.groupBy(deferred, ({ at }) => at);
  return [...byMoment.keys()].sort().map((at) => ({
    at,
    description: `Invoice ${number}, earned through ${dayIn(timezone, at)}`,
    ...bookingFieldsOf({ timezone, number }),
    postings: sumByPrice(byMoment.get(at)!).flatMap(({ priceId, amount }) => [
      debitPosting('deferred_revenue', amount, priceId),
      creditPosting('revenue', amount, priceId),
    ]),
  }));
}

/** The scheduled bookings for the parts of the lines that are earned after the instant `after`. */
export function revenueReleasesAfter(
  invoice: Pick<OpenInvoicePostingState, 'number' | 'timezone'>,
  lines: readonly BookedLine[],
  after: Instant,
  currency: string,
): ScheduledBooking[] {
  const by = { currency, timezone: invoice.timezone };
  const parts = lines.flatMap(({ priceId, deferral }) =>
    deferral === undefined ? [] : earnedPartsAfter(deferral, after, by).map((part) => ({ priceId, ...part })),
  );
  return revenueReleases(invoice, parts);
}
