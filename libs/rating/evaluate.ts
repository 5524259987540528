import { Decimal, decimalString, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { linesOfCharges } from './charge-lines.js';
import type { InvoiceLine } from './invoice-line.js';
import {
  chargeKindOf,
  needsEvents,
  priceUsage,
  tallyEvents,
  tiersOf,
  type PriceConfig,
  type RatedTier,
} from './pricing/index.js';
import { PRORATION_BY_TIME } from './proration.js';

/** The usage for which a price is evaluated: a quantity, or the amounts of single events. */
export type UsageToEvaluate = (
  { readonly quantity: DecimalString } | { readonly eventAmounts: readonly DecimalString[] }
) & {
  /** The values of the properties by which the metric groups. Needed for a matrix price. */
  readonly group?: Readonly<Record<string, string>>;
};

/** The cost of a whole period with the given usage. */
export interface EvaluatedPrice {
  readonly currency: string;
  readonly quantity: DecimalString;
  /** The rounded amount, within the price's minimum and maximum. */
  readonly amount: DecimalString;
  /** The amount before rounding and without the minimum and maximum. */
  readonly unrounded: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly tiers: readonly RatedTier[];
  /** The amount that was added to reach the price's minimum. */
  readonly upToMinimum?: DecimalString;
  /** The rounded amount before the price's maximum reduced it. Absent if the maximum did not reduce the amount. */
  readonly amountBeforeMaximum?: DecimalString;
}

/** An arbitrary period for the evaluation, because every whole period costs the same. */
const PERIOD = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };

/**
 * Computes the price of a quantity with the code that computes the lines of invoices. Throws RangeError if only a quantity is given and the
 * config {@link needsEvents}.
 */
export function evaluatePrice(config: PriceConfig, usage: UsageToEvaluate): EvaluatedPrice {
  const isFee = chargeKindOf(config) === 'fee';
  const group = usage.group ?? {};
  const quantity = 'quantity' in usage ? new Decimal(usage.quantity) : sumOf(usage.eventAmounts);
  const events =
    'quantity' in usage || !needsEvents(config) ? {} : { events: tallyEvents(config, usage.eventAmounts) };
  const charge = {
    price: {
      priceId: 'price',
      version: 1,
      name: 'price',
      config,
      cadence: 'monthly',
      timing: 'in_arrears',
      metricId: isFee ? null : 'metric',
    },
    service: PERIOD,
    period: PERIOD,
    quantity: decimalString(quantity),
    usage: {
      metricVersion: 1,
      groupBy: [],
      groups: [{ values: group, quantity: decimalString(quantity), watermark: '0', ...events }],
    },
  } as const;
  const lines = linesOfCharges([charge], { invoiceId: 'invoice', basis: PRORATION_BY_TIME });
  const [line] = lines;
  const rated = priceUsage(config, { quantity, group, ...events });
  return {
    currency: config.currency,
    quantity: decimalString(quantity),
    amount: moneyString(sumOf(lines.map(({ amount }) => amount)), config.currency),
    unrounded: decimalString(rated.amount),
    ...(rated.unitPrice === undefined ? {} : { unitPrice: rated.unitPrice }),
    tiers: tiersOf(rated, quantity),
    ...upToMinimum(lines, config),
    ...(line!.amountBeforeMaximum === undefined ? {} : { amountBeforeMaximum: line!.amountBeforeMaximum }),
  };
}

/**
 * The amount that was added to reach the minimum. For usage, the added amount is a separate line; for a fee, it is part of the fee's line.
 */
function upToMinimum(
  [line, minimum]: readonly InvoiceLine[],
  { currency }: PriceConfig,
): Pick<EvaluatedPrice, 'upToMinimum'> {
  if (minimum) return { upToMinimum: minimum.amount };
  const { amount, amountBeforeMinimum } = line!;
  if (amountBeforeMinimum === undefined) return {};
  return { upToMinimum: moneyString(new Decimal(amount).minus(amountBeforeMinimum), currency) };
}
