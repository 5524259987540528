import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Charge, ItemToCharge, PriceSnapshot } from './charges.js';
import { periodMillis, type Period } from './periods.js';
import { remainderOf } from './proration.js';

/** A fee that an invoice charged in advance. */
export interface BilledFee {
  readonly invoiceId: string;
  /** The price as it was when the fee was billed. The subscription may have other prices now. */
  readonly price: PriceSnapshot;
  readonly quantity: DecimalString;
  /** The time range for which the fee was charged. */
  readonly service: Period;
  /** The price's full period. The time range `service` is all of the period or a part of it. */
  readonly period: Period;
}

/** The result of comparing the owed fees with the billed fees. */
export interface ReconciledFees {
  /** The fees that are owed and not billed yet. */
  readonly chargesToBill: Charge[];
  /** The billed fees that are no longer owed. Each of these charges names the line that charged the fee. */
  readonly giveBacks: Charge[];
}

/**
 * Compares the owed fees with the billed fees, for the time from `at` on. A fee that is owed and billed for the same time needs no charge
 * and no credit. Other owed fees are billed, and other billed fees are given back. A fee that changes therefore leads to two lines.
 */
export function reconcileFees(
  owed: readonly Charge[],
  billed: readonly BilledFee[],
  at: Instant,
): ReconciledFees {
  const left = billed
    .map((fee) => ({ fee, service: remainderOf(fee.service, at) }))
    .filter(({ service }) => periodMillis(service) > 0);
  const chargesToBill = owed.filter((charge) => {
    const name = nameOf(charge);
    const same = left.findIndex(({ fee, service }) => nameOf({ ...fee, service }) === name);
    if (same < 0) return true;
    left.splice(same, 1);
    return false;
  });
  return { chargesToBill, giveBacks: left.map(({ fee, service }) => giveBackOf(fee, service)) };
}

/**
 * Returns the billed fees that no item in `kept` continues. An item continues at most one billed fee, which has the same price and
 * quantity.
 */
export function endedFees<Fee extends BilledFee>(
  billed: readonly Fee[],
  kept: readonly ItemToCharge[],
): Fee[] {
  const ended = [...billed];
  for (const { price, quantity, since } of kept) {
    const isOf = (fee: Fee) =>
      fee.price.priceId === price.priceId && fee.price.version === price.version && fee.quantity === quantity;
    const own = ended.find((fee) => isOf(fee) && fee.service.end === since) ?? ended.find(isOf);
    if (own) ended.splice(ended.indexOf(own), 1);
  }
  return ended;
}

function giveBackOf(
  { invoiceId, price, quantity, service: billed, period }: BilledFee,
  service: Period,
): Charge {
  const units = quantity === '1' ? {} : { quantity };
  return { price, service, period, ...units, refund: { invoiceId, service: billed } };
}

/** Returns a key. Two fees have the same key if they have the same price, quantity, time range and period. */
function nameOf({ price, quantity = '1', service, period }: Omit<Charge, 'refund'>): string {
  const { priceId, version } = price;
  return [priceId, version, quantity, service.start, service.end, period.start, period.end].join(' ');
}
