import { Decimal, deriveId, moneyString, sumOf } from '#libs/kernel/core';
import { apportion } from './apportion.js';
import { linesOf, taxRateIdsOf, type LineContext, type MeasuredCharge } from './charge-lines.js';
import { linesGivingBack } from './give-backs.js';
import type { InvoiceLine } from './invoice-line.js';
import { differenceLeft } from './late-usage.js';
import { describeLine } from './line-description.js';

/**
 * A line for each charge of which something was invoiced before its period was over. The charge's own lines cover all usage, by its tiers
 * and bounds. This line subtracts the cost on the last of those invoices. So all of them add up to what one invoice would have charged. If
 * the usage has become cheaper since, as with volume tiers, the give-back is in proportion to the rest of the charge and never exceeds it.
 * See {@link withUsageGivenBack}.
 */
export function progressiveCredits(charges: readonly MeasuredCharge[], context: LineContext): InvoiceLine[] {
  return charges.flatMap((charge) => {
    const { price, service, invoiced } = charge;
    if (!invoiced || new Decimal(invoiced.billed).isZero()) return [];
    const { priceId, version, name, config } = price;
    const { currency } = config;
    const { invoiceIds, billed, atMost } = invoiced;
    const counted = sumOf(linesOf([charge], context).map(({ amount }) => amount));
    const owed = differenceLeft({ before: new Decimal(billed), now: counted, atMost }, currency);
    return [
      {
        id: deriveId('line', context.invoiceId, 'progressive', priceId, String(version), service.start),
        type: 'progressive_credit',
        description: describeLine(name, 'invoiced'),
        priceId,
        priceVersion: version,
        quantity: '1',
        amount: moneyString(owed.minus(counted), currency),
        periodStart: service.start,
        periodEnd: service.end,
        ...taxRateIdsOf(price),
        invoiced: { invoiceIds, billed, counted: moneyString(counted, currency), atMost },
      },
    ];
  });
}

/**
 * The lines with the amounts that coupons can discount. A part of earlier invoiced usage that was credited or voided is not discounted,
 * since it is left out and nobody pays it. It is shared out over the usage's lines.
 */
export function discountable(lines: readonly InvoiceLine[], currency: string): InvoiceLine[] {
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

/** The amount that an invoice's lines charge for usage that was not invoiced before. A billing threshold is compared with it. */
export function usageToInvoice(lines: readonly InvoiceLine[]): Decimal {
  return sumOf(
    lines.filter(({ type }) => type === 'usage' || type === 'progressive_credit').map(({ amount }) => amount),
  );
}

/** Charges of one subscription, which is undefined where the invoice is of one alone. */
interface ChargesOf {
  readonly subscriptionId?: string;
  readonly charges: readonly MeasuredCharge[];
}

/**
 * Returns lines with their coupons. Lines that leave out earlier charges also state what they give back, if the usage costs less than
 * before. So it is where usage is cheaper by now, or where coupons took more off all of it than was still to be paid. `ownRateIds`: the
 * invoice's own tax rates.
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
    return linesGivingBack(line, { amount: net.negated(), sources, currency, ownRateIds });
  });
}
