import { Decimal, decimalString, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { linesOf } from './charge-lines.js';
import type { InvoiceLine } from './invoice-line.js';
import {
  chargesFor,
  needsEvents,
  rate,
  tallyEvents,
  tiersOf,
  type PriceConfig,
  type RatedTier,
} from './pricing/index.js';
import { BY_TIME } from './proration.js';

/** The usage that a price is tried on: a quantity, or the amounts of single events, whose sum is the quantity. */
export type EvaluatedUsage = (
  { readonly quantity: DecimalString } | { readonly eventAmounts: readonly DecimalString[] }
) & {
  /** The values of the properties that the metric groups by, for a matrix. */
  readonly group?: Readonly<Record<string, string>>;
};

/** The price of a whole period with this usage. */
export interface EvaluatedPrice {
  readonly currency: string;
  readonly quantity: DecimalString;
  /** Rounded, within the price's minimum and maximum. */
  readonly amount: DecimalString;
  /** Before rounding and before the minimum and maximum. */
  readonly unrounded: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly tiers: readonly RatedTier[];
  /** The amount that was added to reach the minimum. */
  readonly upToMinimum?: DecimalString;
  /** The amount without the maximum. */
  readonly amountBeforeMaximum?: DecimalString;
}

/** Any period will do: a whole one costs the same whenever it is. */
const PERIOD = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };

/**
 * Puts a price on a quantity, by what makes the lines of invoices. RangeError for a config that {@link needsEvents} and is
 * given a quantity alone.
 */
export function evaluatePrice(config: PriceConfig, usage: EvaluatedUsage): EvaluatedPrice {
  const isFee = chargesFor(config) === 'fee';
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
  const lines = linesOf([charge], { invoiceId: 'invoice', basis: BY_TIME });
  const [line] = lines;
  const rated = rate(config, { quantity, group, ...events });
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

/** Usage has a line of its own for it; a fee is printed with it. */
function upToMinimum(
  [line, minimum]: readonly InvoiceLine[],
  { currency }: PriceConfig,
): Pick<EvaluatedPrice, 'upToMinimum'> {
  if (minimum) return { upToMinimum: minimum.amount };
  const { amount, amountBeforeMinimum } = line!;
  if (amountBeforeMinimum === undefined) return {};
  return { upToMinimum: moneyString(new Decimal(amount).minus(amountBeforeMinimum), currency) };
}
