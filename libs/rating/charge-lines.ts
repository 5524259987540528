import {
  Decimal,
  decimalString,
  deriveId,
  moneyString,
  roundToCurrency,
  sumOf,
  type DecimalString,
  storedTranslations,
} from '#libs/kernel/core';
import { apportion, roundTogether } from './apportion.js';
import type { Charge, EarlierFeeLine, PriceSnapshot } from './charges.js';
import { amountMissingToMinimum } from './commitments.js';
import type { GiveBackSourceLine } from './give-backs.js';
import type { Dimension, InvoicedUsageDeduction, InvoiceLine } from './invoice-line.js';
import { describeLine } from './line-description.js';
import { shortenGroupName, fitLinesOnInvoice } from './line-limits.js';
import { periodMillis, type Period } from './periods.js';
import { includedUnitsByGroup, priceUsage, type EventTally, type UsageCost } from './pricing/index.js';
import { prorate, prorateParts, type ProrationBasis } from './proration.js';
import type { TaxRate } from './taxes.js';

/** The measured quantity of one group of a metric's usage in the service period of a charge. */
export interface UsageGroup {
  /** The group's values by property. Properties that the events do not have are omitted. `{}` if the metric has no groups. */
  readonly values: Readonly<Record<string, string>>;
  readonly quantity: DecimalString;
  /** The totals of the single events. The totals are set only if the price depends on single events. */
  readonly events?: EventTally;
  /**
   * The position in the usage log up to which usage was measured. The watermark distinguishes this usage from usage that is stored later.
   */
  readonly watermark: string;
}

/** The measured usage of a price's metric. If the metric has groups but no usage, the list of groups is empty. */
export interface MeasuredUsage {
  readonly metricVersion: number;
  /** The properties by which the metric groups usage, in the order in which a group's values are printed. */
  readonly groupBy: readonly string[];
  readonly groups: readonly UsageGroup[];
}

/** The charges that earlier invoices made for a period's usage before the period ended. */
export interface EarlierUsageCharges extends Omit<InvoicedUsageDeduction, 'counted'> {
  /**
   * The lines of earlier invoices whose amounts can still be given back, in the order in which they are used up. Absent if these lines are
   * not known.
   */
  readonly sources?: readonly GiveBackSourceLine[];
}

/**
 * The part of a fee that can still be given back, and the invoice line that charged the fee. Amounts are rounded, and do not include added
 * taxes.
 */
export interface RemainingFee {
  readonly lineId: string;
  /** The amount of the line after its coupons. */
  readonly net: DecimalString;
  /** `net` less all amounts that were already given back. Zero if the invoice of the line is void. */
  readonly left: DecimalString;
  /**
   * The line's discount for the whole period of the fee. The unused share of the discount is not given back. Absent if there is no
   * discount.
   */
  readonly discount?: DecimalString;
}

/**
 * A charge with the data that is needed to price it. A charge whose price has a metric has `usage`. A charge with `invoicedBy` has
 * `invoiced`: what the invoices in `invoicedBy` have charged. A charge that gives a fee back has `remainingFee`.
 */
export interface MeasuredCharge extends Charge {
  readonly usage?: MeasuredUsage;
  /** The fee that the charge gives back, as far as it can still be given back. */
  readonly remainingFee?: RemainingFee;
  /** The charges that the invoices in `invoicedBy` have made for the usage. */
  readonly invoiced?: EarlierUsageCharges;
  /**
   * The tax rates of the earlier line whose amount this charge gives back. These tax rates apply even if the customer has become exempt
   * since then. If absent, the tax rates of the price or of the invoice apply.
   */
  readonly taxRates?: readonly TaxRate[];
}

/** The data that all lines of an invoice share. */
export interface LineContext {
  /** The id from which the line ids are derived. */
  readonly invoiceId: string;
  /** The unit in which parts of a period are measured. */
  readonly basis: ProrationBasis;
  /** The number of subscriptions that share the invoice. If absent, it is one. */
  readonly subscriptionCount?: number;
}

/**
 * Returns the invoice lines for the charges, in the order of the charges. Each amount is rounded once, half away from zero. Parts of a fee
 * for the same period are rounded together, so that they sum to the fee. Only lines that give an amount back are negative. A price's
 * minimum and maximum limit a fee for its whole period. If a fee is charged for a part of its period, it is limited first and then
 * prorated. For usage, the minimum and maximum apply to the sum of all lines of the charge. A maximum reduces the usage lines in
 * proportion, and a minimum adds a line. Each usage group has a separate line. If the lines do not fit on an invoice, some are merged.
 */
export function linesOfCharges(charges: readonly MeasuredCharge[], context: LineContext): InvoiceLine[] {
  const amounts = feeAmounts(charges, context.basis);
  const lines = charges.map((charge) => ({
    price: charge.price,
    lines: linesOfCharge(charge, amounts.get(charge), context),
  }));
  return fitLinesOnInvoice(lines, context);
}

/** `fee` is the amount of the fee; undefined for usage. */
function linesOfCharge(
  charge: MeasuredCharge,
  fee: Decimal | undefined,
  context: LineContext,
): InvoiceLine[] {
  if (fee === undefined) return applyPriceBounds(charge, usageLines(charge, context), context);
  return charge.refund ? creditLines(charge, charge.refund, fee, context) : [feeLine(charge, fee, context)];
}

/**
 * Returns the rounded amount of each fee. If the service of a fee covers only a part of its period, the fee is prorated. The parts of one
 * fee in the same period are rounded together, so that they sum to the rounded whole.
 */
function feeAmounts(charges: readonly MeasuredCharge[], basis: ProrationBasis): Map<MeasuredCharge, Decimal> {
  const parts = Map.groupBy(
    charges.filter(({ price }) => price.metricId === null),
    ({ price, quantity, period, refund }) =>
      JSON.stringify([price.priceId, price.version, quantity, period, refund]),
  );
  return new Map(
    [...parts.values()].flatMap((together) => {
      const rounded = roundTogether(
        together.map((charge) => shareOf(charge, basis)),
        together[0]!.price.config.currency,
        sumOfParts(together, basis),
      );
      return together.map((charge, i) => [charge, rounded[i]!] as const);
    }),
  );
}

/** The amount of a fee for its whole period. */
function fullAmount(charge: MeasuredCharge): Decimal {
  const { minimumAmount, maximumAmount } = charge.price.config;
  const atLeast = Decimal.max(unboundedAmount(charge), minimumAmount ?? 0);
  const amount = maximumAmount === undefined ? atLeast : Decimal.min(atLeast, maximumAmount);
  return amount.minus(charge.remainingFee?.discount ?? 0);
}

function unboundedAmount({ price, quantity = '1' }: Charge): Decimal {
  return priceUsage(price.config, { quantity: new Decimal(quantity) }).amount;
}

function shareOf(charge: MeasuredCharge, basis: ProrationBasis, amount = fullAmount(charge)): Decimal {
  const { service, period } = charge;
  return isPartial(service, period) ? prorate(amount, service, period, basis) : amount;
}

/**
 * The amount of a fee before its price's minimum or maximum. Returns an empty object if the minimum and maximum did not change the amount.
 */
function beforeBounds(charge: MeasuredCharge, { basis }: LineContext): Partial<InvoiceLine> {
  const [unbounded, full] = [unboundedAmount(charge), fullAmount(charge)];
  if (unbounded.eq(full)) return {};
  const amount = moneyString(shareOf(charge, basis, unbounded), charge.price.config.currency);
  return unbounded.gt(full) ? { amountBeforeMaximum: amount } : { amountBeforeMinimum: amount };
}

/** The total of the fee's parts that belong to one period. */
function sumOfParts(parts: readonly MeasuredCharge[], basis: ProrationBasis): Decimal {
  const [first] = parts as [MeasuredCharge];
  const services = parts.map(({ service }) => service);
  const partial = services.some((service) => isPartial(service, first.period));
  return partial
    ? prorateParts(fullAmount(first), services, first.period, basis)
    : sumOf(parts.map((part) => shareOf(part, basis)));
}

function isPartial(service: Period, period: Period): boolean {
  return periodMillis(service) < periodMillis(period);
}

function feeLine(charge: MeasuredCharge, amount: Decimal, context: LineContext): InvoiceLine {
  const { price, service, period, quantity = '1' } = charge;
  const partial = isPartial(service, period);
  const { tiers, ...rated } = priceUsage(price.config, { quantity: new Decimal(quantity) });
  return {
    // The tiers belong to the whole period, so they would not explain the amount of a part of it.
    ...lineOf(charge, partial ? rated : { ...rated, tiers }, amount, context),
    type: price.cadence === 'one_time' ? 'one_time' : 'flat',
    description: partial ? describeLine(price.name, 'partial') : price.name,
    quantity,
    ...beforeBounds(charge, context),
    ...(partial ? { proratedFrom: period } : {}),
  };
}

/**
 * Returns the lines that give a fee back. The amount given back never exceeds the remaining amount of the line that charged the fee. If
 * nothing remains to be given back, no line is returned.
 */
function creditLines(
  charge: MeasuredCharge,
  { invoiceId }: EarlierFeeLine,
  unused: Decimal,
  context: LineContext,
): InvoiceLine[] {
  const { price, period, quantity = '1', remainingFee: of } = charge;
  if (!of)
    throw new RangeError(
      `The remaining amount of the fee of price ${price.priceId}, which is given back, is missing`,
    );
  const { lineId, left } = of;
  const given = Decimal.min(unused, left);
  if (given.lte(0)) return [];
  const { unitPrice } = priceUsage(price.config, { quantity: new Decimal(quantity) });
  const identity = ['credit', invoiceId, lineId];
  return [
    {
      ...lineOf(charge, { unitPrice }, given.negated(), context, identity),
      type: 'credit',
      description: describeLine(price.name, 'unused'),
      quantity,
      proratedFrom: period,
      givesBack: [{ invoiceId, lineId, amount: moneyString(given, price.config.currency) }],
      unused: { invoiceId, ...of },
    },
  ];
}

function usageLines(charge: MeasuredCharge, context: LineContext): InvoiceLine[] {
  const { price, usage } = charge;
  if (usage === undefined)
    throw new RangeError(`Price ${price.priceId} charges for ${price.metricId}, whose usage is missing`);
  // A charge without any time has no lines, not even for the base fee of a first tier.
  if (charge.invoicedBy && periodMillis(charge.service) === 0) return [];
  const quantities = usage.groups.map((group) => new Decimal(group.quantity));
  const included = includedUnitsByGroup(price.config, quantities);
  return usage.groups.map(({ values, events, watermark }, i) => {
    const quantity = quantities[i]!;
    const rated = priceUsage(price.config, {
      quantity,
      group: values,
      ...(included ? { includedUnitsShare: included[i]! } : {}),
      ...(events ? { events } : {}),
    });
    const amount = roundToCurrency(Decimal.max(rated.amount, 0), price.config.currency);
    const group = usageGroupName(usage.groupBy, values);
    const name = group === null ? null : shortenGroupName(group);
    const identity = usage.groupBy.map((property) =>
      values[property] === undefined ? '' : `=${values[property]}`,
    );
    return {
      ...lineOf(charge, rated, amount, context, identity),
      type: 'usage',
      description: name === null ? price.name : `${price.name} (${name})`,
      metricId: price.metricId!,
      metricVersion: usage.metricVersion,
      ...(name === null ? {} : { group: name, dimensions: dimensionsOf(usage.groupBy, values) }),
      usageWatermark: watermark,
      quantity: decimalString(quantity),
    };
  });
}

/** The name of a usage group: its values joined with `|`, in the order of the metric's properties. Null if the metric has no groups. */
export function usageGroupName(
  groupBy: readonly string[],
  values: Readonly<Record<string, string>>,
): string | null {
  return groupBy.length === 0 ? null : groupBy.map((property) => values[property] ?? '').join('|');
}

/** The values of a usage group by property, in the order of the metric's properties. Values that are too long to print are shortened. */
export function dimensionsOf(
  groupBy: readonly string[],
  values: Readonly<Record<string, string>>,
): Dimension[] {
  return groupBy.map((property) => {
    const value = values[property];
    return { property, value: value === undefined ? null : shortenGroupName(value) };
  });
}

function applyPriceBounds(charge: MeasuredCharge, lines: InvoiceLine[], context: LineContext): InvoiceLine[] {
  const { minimumAmount, maximumAmount, currency } = charge.price.config;
  const amounts = lines.map((line) => new Decimal(line.amount));
  const total = sumOf(amounts);
  if (maximumAmount !== undefined && total.gt(maximumAmount)) {
    const cut = apportion(roundToCurrency(new Decimal(maximumAmount), currency), amounts, currency);
    return lines.map((line, i) => ({
      ...line,
      amount: moneyString(cut[i]!, currency),
      ...(cut[i]!.eq(amounts[i]!) ? {} : { amountBeforeMaximum: line.amount }),
    }));
  }
  if (minimumAmount === undefined || charge.progressive) return lines;
  const { service, period, price } = charge;
  const missing = amountMissingToMinimum(
    { minimum: minimumAmount, currency, service, period, basis: context.basis },
    amounts,
  );
  if (missing.isZero()) return lines;
  return [...lines, minimumLine(charge, missing, context, describeLine(price.name, 'minimum'))];
}

function minimumLine(
  charge: MeasuredCharge,
  missing: Decimal,
  context: LineContext,
  description: string,
): InvoiceLine {
  const { service, period } = charge;
  return {
    ...lineOf(charge, {}, missing, context, ['minimum']),
    type: 'minimum',
    description,
    quantity: '1',
    ...(isPartial(service, period) ? { proratedFrom: period } : {}),
  };
}

/**
 * Builds a line with the fields that every line has. The id of a line is derived from the content of its charge, so the same inputs give
 * the same id.
 */
function lineOf(
  { price, service, quantity, taxRates }: MeasuredCharge,
  { unitPrice, tiers }: Pick<UsageCost, 'unitPrice' | 'tiers'>,
  amount: Decimal,
  { invoiceId }: LineContext,
  more: readonly string[] = [],
) {
  const identity = [
    price.priceId,
    String(price.version),
    service.start,
    service.end,
    quantity ?? '',
    ...more,
  ];
  return {
    id: deriveId('line', invoiceId, ...identity),
    priceId: price.priceId,
    priceVersion: price.version,
    ...(unitPrice === undefined ? {} : { unitPrice }),
    ...(tiers === undefined ? {} : { tiers }),
    amount: moneyString(amount, price.config.currency),
    periodStart: service.start,
    periodEnd: service.end,
    ...storedTranslations(price.nameTranslations),
    ...ownTaxRateIdsOf(price, taxRates),
  };
}

/**
 * The ids of the tax rates that apply only to this line. The tax rates of the charge are used first, or else those of the price. Empty if
 * neither has any.
 */
export function ownTaxRateIdsOf(
  price: Pick<PriceSnapshot, 'taxRateIds'>,
  given?: readonly TaxRate[],
): Pick<InvoiceLine, 'taxRateIds'> {
  const taxRateIds = given?.map(({ taxRateId }) => taxRateId) ?? price.taxRateIds;
  return taxRateIds === undefined ? {} : { taxRateIds: [...taxRateIds] };
}
