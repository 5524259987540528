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
import {
  dimensionsOf,
  usageGroupName,
  linesOfCharges,
  ownTaxRateIdsOf,
  type MeasuredUsage,
} from './charge-lines.js';
import type { Charge } from './charges.js';
import { divideLineGivingBack, type GiveBackSourceLine } from './give-backs.js';
import type { InvoiceLine, BilledAndPresentQuantity } from './invoice-line.js';
import { describeLine } from './line-description.js';
import { shortenGroupName } from './line-limits.js';
import type { ProrationBasis } from './proration.js';

/** The maximum number of groups whose quantities are listed on a line. The amounts include all groups. */
const MAX_QUANTITIES = 100;

/** Usage that an earlier invoice billed, as it was measured then and as it is measured now. */
export interface LateUsage {
  /** The charge that the earlier invoice billed, with the price version of that time. */
  readonly charge: Charge;
  /** The unit in which parts of a period are measured, which is the same as on the earlier invoice. */
  readonly basis: ProrationBasis;
  /** The invoice that billed the usage. */
  readonly invoiceId: string;
  /** The usage as it was measured for the earlier invoice. */
  readonly billed: MeasuredUsage;
  /** The usage as it is measured now. */
  readonly counted: MeasuredUsage;
  /** The position in the usage log up to which usage was counted for the earlier invoice. */
  readonly since: string;
  /** The position in the usage log up to which usage is counted now. */
  readonly watermark: string;
  /** The part of the billed amount that remains after coupons, credit notes and voids. */
  readonly atMost: DecimalString;
  /**
   * The earlier lines whose amounts can still be given back, in the order in which they are used up. Absent if these lines are not known.
   */
  readonly sources?: readonly GiveBackSourceLine[];
}

/**
 * Returns a line for each time range whose usage now costs more or less than was billed. The line charges the difference. Both costs are
 * computed for the whole time range, with the price of the earlier charge. All lines for one time range, on all invoices, therefore sum to
 * the cost of its usage. Only a line that gives an amount back can be smaller than the difference. If 80% of the billed amount remains
 * after coupons, credit notes and voids, the line gives back 80% of the difference. The amount given back is divided over the lines in
 * `sources`; see {@link divideLineGivingBack}.
 */
export function lateUsageLines(late: readonly LateUsage[], invoiceId: string): InvoiceLine[] {
  return late.flatMap((one) => {
    const [before, now] = [amountOf(one, one.billed), amountOf(one, one.counted)];
    const difference = lateUsageAmountToCharge(one);
    if (difference.isZero()) return [];
    return divideLineGivingBack(lateLine(one, invoiceId, before, now, difference), {
      amount: difference.negated(),
      sources: one.sources ?? [],
      currency: one.charge.price.config.currency,
    });
  });
}

/** The total cost of the usage, as the lines of an invoice would print it. */
function amountOf({ charge, basis, invoiceId }: LateUsage, usage: MeasuredUsage): Decimal {
  return sumOf(linesOfCharges([{ ...charge, usage }], { invoiceId, basis }).map(({ amount }) => amount));
}

/** The increase of the cost of the usage since it was billed. The increase does not depend on how much of the billed amount remains. */
export function lateUsageCostIncrease(one: LateUsage): Decimal {
  return amountOf(one, one.counted).minus(amountOf(one, one.billed));
}

/** The amount to charge for late usage. The amount is negative if it is given back. */
export function lateUsageAmountToCharge(one: LateUsage): Decimal {
  const [before, now] = [amountOf(one, one.billed), amountOf(one, one.counted)];
  return differenceToCharge({ before, now, atMost: one.atMost }, one.charge.price.config.currency);
}

/**
 * Returns the amount to charge if `before` was billed and the cost is now `now`. `atMost` is the part of the billed amount that remains.
 */
export function differenceToCharge(
  { before, now, atMost }: { before: Decimal; now: Decimal; atMost: DecimalString },
  currency: string,
): Decimal {
  const difference = now.minus(before);
  if (difference.gte(0)) return difference;
  const share = Decimal.min(new Decimal(atMost).dividedBy(before), 1);
  return Decimal.max(
    roundToCurrency(difference.times(Decimal.max(share, 0)), currency),
    new Decimal(atMost).negated(),
  );
}

function lateLine(
  { charge, billed, counted, since, watermark, invoiceId: billedOn }: LateUsage,
  invoiceId: string,
  before: Decimal,
  now: Decimal,
  difference: Decimal,
): InvoiceLine {
  const { price, service } = charge;
  const { currency } = price.config;
  const quantities = changedQuantities(billed, counted);
  const quantity = sumOf(quantities.map((one) => new Decimal(one.counted).minus(one.billed)));
  return {
    id: deriveId(
      'line',
      invoiceId,
      'late',
      billedOn,
      price.priceId,
      String(price.version),
      service.start,
      service.end,
    ),
    type: 'late_usage',
    description: describeLine(price.name, 'late'),
    ...storedTranslations(price.nameTranslations),
    priceId: price.priceId,
    priceVersion: price.version,
    metricId: price.metricId!,
    metricVersion: counted.metricVersion,
    usageWatermark: watermark,
    quantity: decimalString(quantity),
    amount: moneyString(difference, currency),
    periodStart: service.start,
    periodEnd: service.end,
    ...ownTaxRateIdsOf(price),
    late: {
      invoiceId: billedOn,
      usageWatermark: since,
      billed: moneyString(before, currency),
      counted: moneyString(now, currency),
      quantities: quantities.slice(0, MAX_QUANTITIES),
    },
  };
}

/** The usage groups whose quantities have changed, in the order of the present measurement. */
function changedQuantities(billed: MeasuredUsage, counted: MeasuredUsage): BilledAndPresentQuantity[] {
  const quantitiesOf = ({ groupBy, groups }: MeasuredUsage) =>
    new Map(groups.map(({ values, quantity }) => [usageGroupName(groupBy, values), quantity]));
  const [before, now] = [quantitiesOf(billed), quantitiesOf(counted)];
  const dimensions = new Map(
    [billed, counted].flatMap(({ groupBy, groups }) =>
      groups.map(({ values }) => [usageGroupName(groupBy, values), dimensionsOf(groupBy, values)] as const),
    ),
  );
  return [...new Set([...now.keys(), ...before.keys()])].flatMap((group) => {
    const quantity = { billed: before.get(group) ?? '0', counted: now.get(group) ?? '0' };
    if (new Decimal(quantity.billed).eq(quantity.counted)) return [];
    return [
      group === null
        ? quantity
        : { group: shortenGroupName(group), dimensions: dimensions.get(group)!, ...quantity },
    ];
  });
}
