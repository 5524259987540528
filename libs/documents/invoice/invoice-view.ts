import { Decimal, moneyString, sumOf } from '#libs/core';
import {
  amountToPay,
  type CreditNote,
  type Invoice,
  type InvoiceStatus,
  type PaymentAttempt,
} from '#libs/invoicing';
import type { InvoiceLine } from '#libs/rating';
import { formatDate, formatMoney, formatPeriod, formatQuantity, formatUnitPrice } from './format.js';
import { tierText } from './tier-text.js';

/** An invoice in words: every value as it is printed. Texts may hold anything; templates escape them. */
export interface InvoiceView {
  title: string;
  /** What stands before the number. */
  heading: 'Invoice' | 'Credit note';
  /** The currency is named beside the total: a dollar sign does not say whose dollar. */
  currency: string;
  sellerName: string | null;
  /** For a draft, which has no number, the word. */
  number: string;
  status: InvoiceStatus;
  /** What is stamped across the paper; `null` for an open invoice. */
  stamp: string | null;
  facts: { label: string; value: string }[];
  billToName: string;
  billToEmail: string | null;
  /** What it comes to, in a sentence: `$66.80 due 16 Dec 2023`. */
  headline: { amount: string; text: string };
  lines: LineView[];
  totals: { label: string; amount: string; strong: boolean }[];
  note: string;
  /** What the seller says about this invoice; `null` for nothing. */
  memo: string | null;
  /** What the seller says at the foot; `null` for nothing. */
  footer: string | null;
}

export interface LineView {
  description: string;
  period: string;
  quantity: string;
  /** `null` where there is no one price per unit. */
  unitPrice: string | null;
  /** Quantity and unit price where there is no room for a column of each; `null` where one fee is all there is to say. */
  reckoning: string | null;
  /** What the amount is made of; `amount` is null for what is told without money. */
  tiers: { text: string; amount: string | null }[];
  amount: string;
}

const STAMPS: Record<InvoiceStatus, string | null> = {
  draft: 'Draft',
  open: null,
  paid: 'Paid',
  void: 'Void',
  uncollectible: null,
};

/** Lays out an invoice in words. `sellerName` is the workspace's present name, for a draft; an invoice has its own. */
export function invoiceView(invoice: Invoice, sellerName: string | null): InvoiceView {
  const seller = invoice.status === 'draft' ? sellerName : invoice.sellerName;
  const number = invoice.number ?? 'Draft';
  const day = (instant: string) => formatDate(instant, invoice.timezone);
  return {
    title: `Invoice ${number}${seller === null ? '' : ` from ${seller}`}`,
    heading: 'Invoice',
    currency: invoice.currency,
    sellerName: seller,
    number,
    status: invoice.status,
    stamp: STAMPS[invoice.status],
    facts: [
      {
        label: invoice.issuedAt === null ? 'Created' : 'Issued',
        value: day(invoice.issuedAt ?? invoice.createdAt),
      },
      { label: 'Due', value: day(invoice.dueDate) },
      { label: 'Period', value: formatPeriod(invoice.periodStart, invoice.periodEnd, invoice.timezone) },
    ],
    billToName: invoice.billToName,
    billToEmail: invoice.billToEmail,
    headline: {
      amount: formatMoney(headlineAmount(invoice), invoice.currency),
      text: headlineText(invoice, day),
    },
    lines: invoice.lines.map((line) => lineView(line, invoice)),
    totals: totals(invoice),
    note: [note(invoice, day), ...exemption(invoice)].join(' '),
    memo: invoice.memo ?? null,
    footer: invoice.settings.invoiceFooter,
  };
}

/** What is to be paid, where it is. */
function headlineAmount(invoice: Invoice): string {
  return invoice.status === 'open' || invoice.status === 'uncollectible'
    ? amountToPay(invoice)
    : invoice.total;
}

function headlineText(invoice: Invoice, day: (instant: string) => string): string {
  switch (invoice.status) {
    case 'draft':
      return 'not issued yet';
    case 'open':
    case 'uncollectible':
      return `due ${day(invoice.dueDate)}`;
    case 'paid':
      return `paid ${day(invoice.paidAt!)}`;
    case 'void':
      return `void since ${day(invoice.voidedAt!)}`;
  }
}

function lineView(line: InvoiceLine, { currency, timezone }: Invoice): LineView {
  const of = line.proratedFrom;
  const part = of ? `, part of ${formatPeriod(of.start, of.end, timezone)}` : '';
  const quantity = formatQuantity(line.quantity);
  const unitPrice = line.unitPrice === undefined ? null : formatUnitPrice(line.unitPrice, currency);
  return {
    description: line.description,
    period: formatPeriod(line.periodStart, line.periodEnd, timezone) + part,
    quantity,
    unitPrice,
    reckoning: unitPrice === null ? (line.quantity === '1' ? null : quantity) : `${quantity} × ${unitPrice}`,
    tiers: [
      ...(line.tiers ?? []).map((tier, i) => ({
        text: tierText(tier, i === 0, currency),
        amount: formatUnitPrice(tier.amount, currency),
      })),
      ...maximumView(line, currency),
      ...lateView(line, currency),
      ...commitmentView(line, { currency, timezone }),
    ],
    amount: formatMoney(line.amount, currency),
  };
}

/** How the amount can be less than what is listed. */
function maximumView({ amount, amountBeforeMaximum }: InvoiceLine, currency: string) {
  if (amountBeforeMaximum === undefined) return [];
  return [
    {
      text: `${formatMoney(amountBeforeMaximum, currency)}, at most`,
      amount: formatMoney(amount, currency),
    },
  ];
}

/** What a period comes to by now, what was billed for it, and how the amount can be another than the difference. */
function lateView({ late, amount }: InvoiceLine, currency: string) {
  if (late === undefined) return [];
  const { billed, counted, quantities } = late;
  const groups = quantities.flatMap(({ group, ...one }) =>
    group === undefined
      ? []
      : [`${group}: ${formatQuantity(one.counted)} by now, ${formatQuantity(one.billed)} billed before`],
  );
  const whole = quantities.find(({ group }) => group === undefined);
  const row = (text: string, of: string) => ({ text, amount: formatMoney(of, currency) });
  const isDifference = new Decimal(counted).minus(billed).eq(amount);
  return [
    ...groups.map((text) => ({ text, amount: null })),
    row(whole ? `${formatQuantity(whole.counted)} by now` : 'By now', counted),
    row(whole ? `${formatQuantity(whole.billed)} billed before` : 'Billed before', billed),
    ...(isDifference ? [] : [row('Difference, less what was taken off or credited then', amount)]),
  ];
}

/** What was committed to, where that is not simply the least amount of a period, and what was charged of it. */
function commitmentView(
  { commitment }: InvoiceLine,
  { currency, timezone }: Pick<Invoice, 'currency' | 'timezone'>,
) {
  if (commitment === undefined) return [];
  const { parts, due, counted, countedBefore } = commitment;
  const isWhole = parts.length === 1 && new Decimal(parts[0]!.minimum).eq(due);
  const row = (text: string, amount: string | null) => ({
    text,
    amount: amount === null ? null : formatMoney(amount, currency),
  });
  return [
    ...(isWhole ? [] : parts).map(({ minimum, start, end }) =>
      row(`${formatMoney(minimum, currency)} a period, for ${formatPeriod(start, end, timezone)}`, null),
    ),
    row('Minimum commitment', due),
    row(countedBefore === undefined ? 'Charged for this time' : 'Charged for this time by now', counted),
    ...(countedBefore === undefined ? [] : [row('Charged when it was billed', countedBefore)]),
  ];
}

function totals(invoice: Invoice): InvoiceView['totals'] {
  const { currency, total, lines, status, balanceApplied, excess } = invoice;
  const nothing = moneyString(sumOf([]), currency);
  const row = (label: string, amount: string, strong = false) => ({
    label,
    amount: formatMoney(amount, currency),
    strong,
  });
  const subtotal = row('Subtotal', moneyString(sumOf(lines.map(({ amount }) => amount)), currency));
  const discounts = (invoice.discounts ?? []).map(({ name, amount }) => row(name, `-${amount}`));
  const taxes = (invoice.taxes ?? []).map(({ name, percentage, inclusive, amount }) =>
    row(`${inclusive ? 'Contains ' : ''}${name} ${formatQuantity(percentage)}%`, amount),
  );
  const fromBalance = balanceApplied === nothing ? [] : [row('Paid from your balance', balanceApplied)];
  const toBalance = excess === undefined ? [] : [row('Added to your balance', excess)];
  const charged = [subtotal, ...discounts, ...taxes];
  if (status === 'draft') return [...charged, row(`Total ${currency}`, total, true), ...toBalance];
  const notes = (amountOf: (note: CreditNote) => Decimal) =>
    invoice.creditNotes
      .filter((note) => !amountOf(note).isZero())
      .map((note) => row(`Credit note ${note.number ?? ''}`.trim(), amountOf(note).negated().toFixed()));
  const isOwed = status !== 'paid' && status !== 'void';
  return [
    ...charged,
    row(`Total ${currency}`, total),
    ...(status === 'void' ? [] : [...fromBalance, ...toBalance]),
    ...notes(({ unpaid }) => new Decimal(unpaid)),
    ...(status === 'paid' ? [row('Paid', amountToPay(invoice))] : []),
    ...notes(({ toBalance, refunded }) => new Decimal(toBalance).plus(refunded)),
    row('Amount due', isOwed ? amountToPay(invoice) : nothing, true),
  ];
}

/** Where a tax is not charged, most laws want the reason on the invoice. */
function exemption({ taxExemption }: Invoice): string[] {
  return taxExemption === undefined ? [] : [`No tax: ${taxExemption}.`];
}

function note(invoice: Invoice, day: (instant: string) => string): string {
  switch (invoice.status) {
    case 'draft':
      return 'This is a draft. It can still change and is not payable.';
    case 'open':
    case 'uncollectible':
      return `Payment is due by ${day(invoice.dueDate)}.`;
    case 'paid': {
      const paidBy = successfulAttempt(invoice);
      if (paidBy) return `Paid on ${day(invoice.paidAt!)} with ${paidBy.method.label}. Thank you.`;
      if (new Decimal(invoice.balanceApplied).isZero()) return 'There was nothing to pay.';
      return `Paid on ${day(invoice.paidAt!)} from your balance. Thank you.`;
    }
    case 'void':
      return `This invoice was voided on ${day(invoice.voidedAt!)}. There is nothing to pay.`;
  }
}

function successfulAttempt(invoice: Invoice): PaymentAttempt | undefined {
  return invoice.attempts.find(({ status }) => status === 'succeeded');
}
