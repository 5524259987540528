import { InvalidRequest } from '#libs/kernel/core';
import type { PriceSnapshot } from '#libs/rating';
import type { SubscriptionEvent, TermsChange } from './events.js';

/**
 * The maximum size of a subscription's prices together, as JSON. The event of a change can have the new prices three times and the old
 * prices once: in the change, in the items and in the bill.
 */
export const MAX_PRICE_BYTES = 250_000;
/** The maximum size of an event, as JSON. The event store accepts no append above a mebibyte (EventStoreDB's default). */
const MAX_EVENT_BYTES = 1_000_000;

/** Refuses prices that are too large for the events of a subscription. `field` is the request field that names the prices. */
export function refuseLargePrices(field: string, prices: readonly PriceSnapshot[]): void {
  const bytes = sizeOf(prices);
  if (bytes > MAX_PRICE_BYTES)
    throw InvalidRequest.field(
      field,
      `must lead to prices of at most ${MAX_PRICE_BYTES} bytes together, as JSON; these have ${bytes}; use fewer prices, tiers or cells`,
    );
}

/**
 * Refuses a change that brings prices and has too large ones, in the change itself or afterwards. `after` are the prices after the change.
 * A change that brings no prices is not refused.
 */
export function refuseLargeChange({ plan, addPrices }: TermsChange, after: readonly PriceSnapshot[]): void {
  if (plan) refuseLargePrices('planId', plan.prices);
  if (addPrices.length > 0) refuseLargePrices('addPrices', plan ? [...plan.prices, ...addPrices] : after);
}

/**
 * Refuses a change whose event is too large to be stored. Such a change moves a subscription with prices that are larger than
 * {@link MAX_PRICE_BYTES}, or gives back many fees.
 */
export function refuseLargeEvent({ data }: SubscriptionEvent): void {
  if (sizeOf(data) > MAX_EVENT_BYTES)
    throw new InvalidRequest(
      'change_too_large',
      'The prices before and after the change are too large to be stored together; change to fewer prices, or to prices with fewer tiers or cells',
    );
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
