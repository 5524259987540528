import { Decimal, deriveId, moneyString, sumOf, storedTranslations } from '#libs/kernel/core';
import { apportion } from './apportion.js';
import { linesOfCharges, ownTaxRateIdsOf, type LineContext, type MeasuredCharge } from './charge-lines.js';
import { divideLineGivingBack } from './give-backs.js';
import type { InvoiceLine } from './invoice-line.js';
import { differenceToCharge } from './late-usage-lines.js';
import { describeLine } from './line-description.js';

/**
 * Returns a credit line for each charge if a part of its usage was invoiced before the end of its period. The usage lines of the charge
 * cover all usage of the period, with its tiers and limits. The credit line subtracts the cost of the usage on the last of the earlier
 * invoices. The lines of all these invoices therefore sum to what a single invoice for the whole period would charge. Usage can become
 * cheaper, for example with volume tiers. If credit notes and voids left 80% of the earlier charges, 80% of the difference is given back.
 * The amount given back never exceeds what is left of the earlier charges. See {@link withUsageGivenBack}.
 */
export function progressiveCreditLines(
  charges: readonly MeasuredCharge[],
  context: LineContext,
): InvoiceLine[] {
  return charges.flatMap((charge) => {
    const { price, service, invoiced } = charge;
    if (!invoiced || new Decimal(invoiced.billed).isZero()) return [];
    const { priceId, version, name, config } = price;
    const { currency } = config;
    const { invoiceIds, billed, atMost } = invoiced;
    const counted = sumOf(linesOfCharges([charge], context).map(({ amount }) => amount));
    const owed = differenceToCharge({ before: new Decimal(billed), now: counted, atMost }, currency);
    return [
      {
        id: deriveId('line', context.invoiceId, 'progressive', priceId, String(version), service.start),
        type: 'progressive_credit',
        description: describeLine(name, 'invoiced'),
        ...storedTranslations(price.nameTranslations),
        priceId,
        priceVersion: version,
        quantity: '1',
        amount: moneyString(owed.minus(counted), currency),
        periodStart: service.start,
        periodEnd: service.end,
        ...ownTaxRateIdsOf(price),
        invoiced: { invoiceIds, billed, counted: moneyString(counted, currency), atMost },
      },
    ];
  });
}

/**
 * Returns the lines with the amounts that coupons can discount. Usage that was invoiced earlier may have been credited or voided. Coupons
 * do not reduce such usage, because the invoice also deducts it and the customer does not pay it. The amount of such usage is therefore
 * subtracted from the usage lines, in proportion to their amounts.
 */
export function linesWithDiscountableAmounts(lines: readonly InvoiceLine[], currency: string): InvoiceLine[] {
  const less = new Map<string, Decimal>();
  for (const { invoiced, ...credit } of lines) {
    const gone = invoiced ? new Decimal(credit.amount).negated().minus(invoiced.atMost) : new Decimal(0);
    if (gone.lte(0)) continue;
    const usage = lines.filter((line) => line.type === 'usage' && isOfSame(line, credit));
    const amounts = usage.map(({ amount }) => new Decimal(amount));
    const left = Decimal.max(sumOf(amounts).minus(gone), 0);
    apportion(left, amounts, currency).forEach((amount, i) => less.set(usage[i]!.id, amount));
  }
  return lines.map((line) => {
    const amount = less.get(line.id);
    return amount === undefined ? line : { ...line, amount: moneyString(amount, currency) };
  });
}

function isOfSame(a: InvoiceLine, b: InvoiceLine): boolean {
  return (
    a.subscriptionId === b.subscriptionId &&
    a.priceId === b.priceId &&
    a.priceVersion === b.priceVersion &&
    a.periodStart === b.periodStart &&
    a.periodEnd === b.periodEnd
  );
}

/**
 * The amount that an invoice's lines charge for usage that was not invoiced before. The amount of new usage is compared with the billing
 * threshold.
 */
export function amountOfNewUsage(lines: readonly InvoiceLine[]): Decimal {
  return sumOf(
    lines.filter(({ type }) => type === 'usage' || type === 'progressive_credit').map(({ amount }) => amount),
  );
}

/** The charges of one subscription. `subscriptionId` is undefined if the invoice has only one subscription. */
interface ChargesOf {
  readonly subscriptionId?: string;
  readonly charges: readonly MeasuredCharge[];
}

/**
 * Adds to each line that gives an amount back the earlier lines from which the amount is taken. A line that deducts earlier charges gives
 * an amount back if the usage costs less than before. The cost falls if the usage itself became cheaper, or if the discounts of coupons
 * exceed the charge for new usage. `ownRateIds` are the invoice's own tax rates.
 */
export function withUsageGivenBack(
  lines: readonly InvoiceLine[],
  charged: readonly ChargesOf[],
  { currency, ownRateIds }: { readonly currency: string; readonly ownRateIds: readonly string[] },
): InvoiceLine[] {
  return lines.flatMap((line) => {
    if (line.invoiced === undefined) return [line];
    const ofUsage = lines.filter((other) => isOfSame(other, line));
    const net = sumOf(ofUsage.map(({ amount, discount = '0' }) => new Decimal(amount).minus(discount)));
    const charge = charged
      .filter(({ subscriptionId }) => subscriptionId === line.subscriptionId)
      .flatMap(({ charges }) => charges)
      .find(({ price, service, invoiced }) => {
        const { start: periodStart, end: periodEnd } = service;
        const { priceId, version: priceVersion } = price;
        return invoiced && isOfSame({ ...line, priceId, priceVersion, periodStart, periodEnd }, line);
      });
    const sources = charge?.invoiced?.sources ?? [];
    return divideLineGivingBack(line, { amount: net.negated(), sources, currency, ownRateIds });
  });
}
