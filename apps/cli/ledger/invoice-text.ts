import { Decimal, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { tierText } from '#libs/outputs/documents';
import {
  amountAppliedToInvoice,
  succeededPayments,
  type RecordedPayment,
  type Invoice,
  type InvoiceDiscount,
} from '#libs/contexts/invoicing';
import type { InvoiceLine } from '#libs/rating';
import { amountText, exactNumberText } from './amounts.js';
import { TERMINAL_WIDTH, wrapText } from './terminal-text.js';

/** The indentation of the details below a line. */
const DETAIL_INDENT = '      ';

/** A line of the invoice or a sum, with the details that explain its amount. */
interface AmountLine {
  readonly text: string;
  readonly amount: string;
  readonly details: readonly string[];
}

/**
 * Shows how an invoice's total is computed. Each line has its price, period, usage, tiers, coupons and taxes. The sums follow.
 * Amounts of tiers have all their digits, since only the line as a whole is rounded.
 */
export function* invoiceText(invoice: Invoice): Iterable<string> {
  const { currency, number, invoiceId, status, periodStart, periodEnd } = invoice;
  yield `Invoice ${number ?? invoiceId}, ${status}, ${currency}\n`;
  yield `  ${periodStart === periodEnd ? spanText(periodStart, periodEnd) : `for ${windowText(periodStart, periodEnd)}`}\n`;
  for (const text of creditTexts(invoice))
    for (const part of wrapText(text, TERMINAL_WIDTH - 2)) yield `  ${part}\n`;
  const items = [...invoice.lines.map((line) => lineItem(line, invoice)), ...sumItems(invoice)];
  const amounts = Math.max(...items.map(({ amount }) => amount.length));
  const widest = TERMINAL_WIDTH - 4 - amounts - 2;
  const texts = items.map(({ text }) => wrapText(text, widest));
  const column = Math.max(...texts.flat().map(({ length }) => length));
  for (const [i, { amount, details }] of items.entries()) {
    const [first, ...rest] = texts[i]!;
    yield `    ${first!.padEnd(column)}  ${amount.padStart(amounts)}\n`;
    for (const text of rest) yield `    ${text}\n`;
    for (const detail of details)
      for (const text of wrapText(detail, TERMINAL_WIDTH - DETAIL_INDENT.length))
        yield `${DETAIL_INDENT}${text}\n`;
  }
  yield '\n';
}

/**
 * Returns texts about the block of prepaid credits that the invoice sells, and about the credits that it shows as used. The list is empty
 * if the invoice has neither.
 */
function creditTexts({ purchasedBlock, creditsUsed = [] }: Invoice): string[] {
  return [
    ...(purchasedBlock
      ? [`pays for the block ${purchasedBlock.blockId} of ${purchasedBlock.creditType}`]
      : []),
    ...creditsUsed.map(
      ({ creditType, metricId, credits }) =>
        `shows ${exactNumberText(credits)} ${credits === '1' ? 'credit' : 'credits'} of ${creditType} as used for ${metricId}`,
    ),
  ];
}

function lineItem(line: InvoiceLine, invoice: Invoice): AmountLine {
  const { currency } = invoice;
  const money = (amount: DecimalString): string => amountText(amount, currency);
  const { description, amount, priceId, priceVersion, periodStart, periodEnd, usageWatermark } = line;
  const details = [
    ...(priceId === null ? [] : [`${priceId}, version ${priceVersion}`]),
    ...(line.metricId !== undefined && priceId === null ? [line.metricId] : []),
    `${usageWatermark === undefined ? '' : 'usage '}${spanText(periodStart, periodEnd)}`,
    ...(usageWatermark === undefined ? [] : [`of the usage log up to ${usageWatermark}`]),
    ...quantityDetails(line, currency),
    ...boundDetails(line, money),
    ...sourceDetails(line, money),
    ...couponDetails(line, invoice, money),
    ...taxDetails(line, invoice),
  ];
  return { text: description, amount: money(amount), details };
}

/** Returns the details of the quantity and its pricing: a text for each tier, or the quantity times the unit price. */
function quantityDetails(line: InvoiceLine, currency: string): string[] {
  const { quantity, unitPrice, tiers } = line;
  if (tiers)
    return tiers.map(
      (tier, i) => `${tierText(tier, i === 0, currency, 'en')} = ${exactNumberText(tier.amount)}`,
    );
  const counted = `${exactNumberText(quantity)}${unitText(line)}`;
  return unitPrice === undefined
    ? counted === '1'
      ? []
      : [counted]
    : [`${counted} × ${exactNumberText(unitPrice)}`];
}

/**
 * Returns the unit of a quantity in prepaid credits, with a space before it. The text is empty for a line whose quantity is not in prepaid
 * credits.
 */
function unitText({ type, quantity, creditType }: InvoiceLine): string {
  if (type !== 'credit_purchase' && type !== 'overage') return '';
  const unit = quantity === '1' ? ' credit' : ' credits';
  return creditType === undefined ? unit : `${unit} of ${creditType}`;
}

function boundDetails(
  { amountBeforeMinimum, amountBeforeMaximum, proratedFrom }: InvoiceLine,
  money: (amount: DecimalString) => string,
): string[] {
  return [
    ...(proratedFrom ? [`a share of ${windowText(proratedFrom.start, proratedFrom.end)}`] : []),
    ...(amountBeforeMinimum === undefined
      ? []
      : [`${money(amountBeforeMinimum)} before the price's minimum`]),
    ...(amountBeforeMaximum === undefined
      ? []
      : [`${money(amountBeforeMaximum)} before the price's maximum`]),
  ];
}

/** Returns the details of a line that refer to other invoices or to a minimum commitment. */
function sourceDetails(
  { unused, late, invoiced, commitment, givesBack = [] }: InvoiceLine,
  money: (amount: DecimalString) => string,
): string[] {
  return [
    ...(unused
      ? [
          `charged by ${unused.lineId} of ${unused.invoiceId}: ${money(unused.net)}, of which ${money(unused.left)} was left`,
        ]
      : []),
    ...(late
      ? [`the usage came to ${money(late.billed)} on ${late.invoiceId}, and comes to ${money(late.counted)}`]
      : []),
    ...(invoiced
      ? [
          `the usage came to ${money(invoiced.billed)} on ${invoiced.invoiceIds.join(', ')}, and comes to ${money(invoiced.counted)}`,
        ]
      : []),
    ...(commitment
      ? [`committed to ${money(commitment.due)}, of which charges came to ${money(commitment.counted)}`]
      : []),
    ...givesBack.map(
      ({ invoiceId, lineId, amount }) => `gives back ${money(amount)} of ${lineId} of ${invoiceId}`,
    ),
  ];
}

function couponDetails(
  { discount, discountedBy }: InvoiceLine,
  { discounts = [] }: Invoice,
  money: (amount: DecimalString) => string,
): string[] {
  if (discount === undefined) return [];
  if (discountedBy)
    return discountedBy.map(({ couponId: redemptionId, amount }) => {
      const used = discounts.find((one) => one.redemptionId === redemptionId);
      return `less ${money(amount)} by coupon ${used?.couponId ?? redemptionId}`;
    });
  const [only] = discounts;
  return [`less ${money(discount)} by ${only ? `coupon ${only.couponId}` : 'coupons'}`];
}

/** Returns the names of the line's taxes, or `not taxed`. The list is empty if the invoice has no taxes. */
function taxDetails({ taxRateIds }: InvoiceLine, invoice: Invoice): string[] {
  const ids = taxRateIds ?? invoice.taxRateIds;
  const { taxes = [] } = invoice;
  if (ids === undefined || taxes.length === 0) return [];
  const names = taxes.filter(({ taxRateId }) => ids.includes(taxRateId)).map(({ name }) => name);
  return [names.length === 0 ? 'not taxed' : `taxed with ${names.join(' and ')}`];
}

function wayOf({ method }: RecordedPayment): string {
  return method === 'balance' ? "from the customer's balance later" : `outside the gateway (${method})`;
}

function sumItems(invoice: Invoice): AmountLine[] {
  const { lines, currency, discounts = [], taxes = [], total, balanceApplied, excess } = invoice;
  const item = (text: string, amount: DecimalString | Decimal): AmountLine => ({
    text,
    amount: amountText(amount, currency),
    details: [],
  });
  const isUsed = (amount: DecimalString | undefined): amount is DecimalString =>
    amount !== undefined && !new Decimal(amount).isZero();
  return [
    item('Subtotal', sumOf(lines.map(({ amount }) => amount))),
    ...discounts.map((one) => item(couponText(one), new Decimal(one.amount).negated())),
    ...taxes.map(({ name, percentage, inclusive, taxable, amount }) =>
      item(
        `${name} ${exactNumberText(percentage)}% on ${amountText(taxable, currency)}${inclusive ? ', in the amounts above' : ''}`,
        amount,
      ),
    ),
    ...(isUsed(excess) ? [item('Given back beyond what is charged', excess)] : []),
    item('Total', total),
    ...(new Decimal(balanceApplied).isNegative()
      ? [item('Besides carried from earlier invoices', new Decimal(balanceApplied).negated().toFixed())]
      : []),
    ...(new Decimal(balanceApplied).gt(0)
      ? [item("Of that from the customer's balance", balanceApplied)]
      : []),
    ...succeededPayments(invoice.recordedPayments).map((payment) =>
      item(
        payment.carried ? 'Of that carried to the next invoice' : `Of that paid ${wayOf(payment)}`,
        amountAppliedToInvoice(payment),
      ),
    ),
  ];
}

function couponText({ name, couponId }: InvoiceDiscount): string {
  return name === couponId ? `Coupon ${couponId}` : `${name} (coupon ${couponId})`;
}

/** Formats the period of a line. A line for one instant, such as a purchase, has no end. */
function spanText(start: Instant, end: Instant): string {
  return start === end ? `at ${start.replace('.000Z', 'Z')}` : `from ${windowText(start, end)}`;
}

/** Formats a half-open range of time in UTC. The end is not included. */
function windowText(start: Instant, end: Instant): string {
  const [from, until] = [start, end].map((at) => at.replace('.000Z', 'Z'));
  return `${from} to ${until}`;
}
