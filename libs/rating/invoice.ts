import {
  Decimal,
  decimalString,
  deriveId,
  moneyString,
  roundToCurrency,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/core';
import type { Charge, PriceSnapshot } from './charges.js';
import { lengthOf, type Period } from './periods.js';
import { rate, type Rated, type RatedTier } from './pricing/index.js';
import { prorate } from './proration.js';

/** The measured quantity of one group of a metric's usage, in a charge's service period. */
export interface UsageGroup {
  /** The group's values joined with `|` in the metric's groupBy order; null for a metric without groups. */
  readonly key: string | null;
  readonly quantity: DecimalString;
  /** How far the usage log had been read, so that usage that comes later can be told apart. */
  readonly watermark: string;
}

/** What was used of a metered price's metric. A metric with groups and no usage has no group. */
export interface MeasuredUsage {
  readonly metricVersion: number;
  readonly groups: readonly UsageGroup[];
}

/** A charge with what it takes to price it: `usage` if its price has a metric. */
export interface MeasuredCharge extends Charge {
  readonly usage?: MeasuredUsage;
}

export interface InvoiceInput {
  /** Line ids derive from it, so computing an invoice twice gives the same ids. */
  readonly invoiceId: string;
  readonly currency: string;
  readonly charges: readonly MeasuredCharge[];
}

/** `usage`: a metric's quantity. `flat`: a recurring fee. `one_time`: charged once, at the start. */
export type LineType = 'usage' | 'flat' | 'one_time';

/** A line as it is printed. `amount` is rounded to the currency's minor unit; other decimals are exact. */
export interface InvoiceLine {
  readonly id: string;
  readonly type: LineType;
  readonly description: string;
  readonly priceId: string;
  readonly priceVersion: number;
  readonly metricId?: string;
  readonly metricVersion?: number;
  readonly group?: string;
  readonly usageWatermark?: string;
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
  readonly amount: DecimalString;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  /** For a fee over part of its period: the full period, of which `amount` is the share from start to end. */
  readonly proratedFrom?: Period;
}

export interface ComputedInvoice {
  readonly currency: string;
  readonly lines: InvoiceLine[];
  /** The sum of the lines, with the currency's digits. */
  readonly total: DecimalString;
}

/**
 * Makes an invoice of what is due: the one computation behind previews and issued invoices. Each line is rounded once,
 * half away from zero, and never below zero (corrections may outweigh usage); the total is the sum of what is printed.
 * Throws RangeError on what its callers must not pass: another currency, or a metered price without its usage.
 */
export function computeInvoice({ invoiceId, currency, charges }: InvoiceInput): ComputedInvoice {
  const lines = charges.flatMap((charge) => {
    if (charge.price.config.currency !== currency)
      throw new RangeError(
        `Price ${charge.price.priceId} is in ${charge.price.config.currency}, the invoice in ${currency}`,
      );
    return charge.price.metricId === null
      ? [feeLine(invoiceId, charge)]
      : usageLines(invoiceId, charge, charge.price.metricId);
  });
  return { currency, lines, total: moneyString(sumOf(lines.map((line) => line.amount)), currency) };
}

/** A fee counts as one unit, for its share of the period. */
function feeLine(invoiceId: string, { price, service, period }: MeasuredCharge): InvoiceLine {
  const partial = lengthOf(service) < lengthOf(period);
  const full = rate(price.config, new Decimal(1));
  const rated = partial ? { ...full, amount: prorate(full.amount, service, period) } : full;
  return {
    ...lineOf(invoiceId, price, service, null, rated),
    type: price.cadence === 'one_time' ? 'one_time' : 'flat',
    description: partial ? `${price.name} (part of the period)` : price.name,
    quantity: '1',
    ...(partial ? { proratedFrom: period } : {}),
  };
}

function usageLines(
  invoiceId: string,
  { price, service, usage }: MeasuredCharge,
  metricId: string,
): InvoiceLine[] {
  if (usage === undefined)
    throw new RangeError(`Price ${price.priceId} charges for ${metricId}, whose usage is missing`);
  return usage.groups.map((group) => {
    const quantity = new Decimal(group.quantity);
    return {
      ...lineOf(invoiceId, price, service, group.key, rate(price.config, quantity)),
      type: 'usage',
      description: group.key === null ? price.name : `${price.name} (${group.key})`,
      metricId,
      metricVersion: usage.metricVersion,
      ...(group.key === null ? {} : { group: group.key }),
      usageWatermark: group.watermark,
      quantity: decimalString(quantity),
    };
  });
}

/** What all lines have. A line is named by what it charges for: the same inputs make the same id. */
function lineOf(
  invoiceId: string,
  price: PriceSnapshot,
  service: Period,
  group: string | null,
  rated: Rated,
) {
  const identity = [
    price.priceId,
    String(price.version),
    service.start,
    service.end,
    ...(group === null ? [] : [group]),
  ];
  const { currency } = price.config;
  return {
    id: deriveId('line', invoiceId, ...identity),
    priceId: price.priceId,
    priceVersion: price.version,
    ...(rated.unitPrice === undefined ? {} : { unitPrice: rated.unitPrice }),
    ...(rated.tiers === undefined ? {} : { tiers: rated.tiers }),
    amount: moneyString(Decimal.max(roundToCurrency(rated.amount, currency), 0), currency),
    periodStart: service.start,
    periodEnd: service.end,
  };
}
