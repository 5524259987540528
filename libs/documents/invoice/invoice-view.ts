import { Decimal, moneyString, sumOf, type Language } from '#libs/core';
import {
  amountToPay,
  type CreditNote,
  type Invoice,
  type InvoiceStatus,
  type PaymentAttempt,
} from '#libs/invoicing';
import { readDescription, type AppliedTax, type InvoiceLine } from '#libs/rating';
import { wordingOf, type Labels, type Wording } from '../languages/index.js';
import { cardText } from './card-text.js';
import { formatsOf, type Formats } from './format.js';
import { bankAccountOf, partiesView, type PartiesView } from './parties.js';
import { tierText } from './tier-text.js';

/** An invoice in words: every value as it is printed. Texts may hold anything; templates escape them. */
export interface InvoiceView extends PartiesView {
  language: Language;
  labels: Labels;
  title: string;
  /** What stands before the number: what the paper is. */
  heading: string;
  /** The currency is named beside the total: a dollar sign does not say whose dollar. */
  currency: string;
  /** For a draft, which has no number, the word. */
  number: string;
  status: InvoiceStatus;
  /** What is stamped across the paper; `null` for an open invoice. */
  stamp: string | null;
  facts: { label: string; value: string }[];
  /** What it comes to, in a sentence: `$66.80 due 16 Dec 2023`. */
  headline: { amount: string; text: string };
  lines: LineView[];
  totals: { label: string; amount: string; strong: boolean }[];
  note: string;
  /** The seller's bank account, while there is something to pay; `null` if it is not known. */
  payTo: string | null;
  /** What the seller says about this invoice; `null` for nothing. */
  memo: string | null;
  /** What the seller says at the foot; `null` for nothing. */
  footer: string | null;
}

export interface LineView {
  /**
   * What stands above it, on an invoice of several subscriptions: the plan that it and the lines after it are of, and what they sum to;
   * `null` where nothing does.
   */
  heading: { text: string; amount: string } | null;
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

/** In what words and figures a document is laid out. */
interface Style {
  words: Wording;
  formats: Formats;
  language: Language;
  /** Of the invoice's currency. */
  money: (amount: string) => string;
  /** In the invoice's time zone. */
  day: (instant: string) => string;
  period: (start: string, end: string) => string;
}

/** The words and figures of an invoice's language, currency and time zone. */
export function styleOf({ settings: { language }, currency, timezone }: Invoice): Style {
  const formats = formatsOf(language);
  return {
    ...{ words: wordingOf(language), formats, language },
    money: (amount) => formats.money(amount, currency),
    day: (instant) => formats.date(instant, timezone),
    period: (start, end) => formats.period(start, end, timezone),
  };
}

/** Lays out an invoice in words, in its own language. `sellerName` is the workspace's present name, for a draft; an invoice has its own. */
export function invoiceView(invoice: Invoice, sellerName: string | null): InvoiceView {
  const parties = partiesView(invoice, invoice.status === 'draft' ? sellerName : invoice.sellerName);
  const seller = parties.sellerName;
  const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
  const style = styleOf(invoice);
  const { words, money, day, period } = style;
  const number = invoice.number ?? words.draft;
  const title = `${words.invoice} ${number}`;
  return {
    language: style.language,
    labels: words.labels,
    title: seller === null ? title : words.titleFrom(title, seller),
    heading: words.invoice,
    currency: invoice.currency,
    ...parties,
    number,
    status: invoice.status,
    stamp: stampOf(invoice.status, words),
    facts: [
      {
        label: invoice.issuedAt === null ? words.facts.created : words.facts.issued,
        value: day(invoice.issuedAt ?? invoice.createdAt),
      },
      { label: words.facts.due, value: day(invoice.dueDate) },
      { label: words.facts.period, value: period(invoice.periodStart, invoice.periodEnd) },
    ],
    headline: {
      amount: money(headlineAmount(invoice)),
      text: headlineText(invoice, style),
    },
    lines: underHeadings(invoice, invoice.lines, style, (line) => lineView(line, invoice.currency, style)),
    totals: totals(invoice, style),
    note: [note(invoice, style), ...exemption(invoice, style)].join(' '),
    payTo: isPayable ? bankAccountOf(invoice) : null,
    memo: invoice.memo ?? null,
    footer: invoice.settings.invoiceFooter,
  };
}

function stampOf(status: InvoiceStatus, { stamps }: Wording): string | null {
  return status === 'open' || status === 'uncollectible' ? null : stamps[status];
}

/** What is to be paid, where it is. */
function headlineAmount(invoice: Invoice): string {
  return invoice.status === 'open' || invoice.status === 'uncollectible'
    ? amountToPay(invoice)
    : invoice.total;
}

function headlineText(invoice: Invoice, { words: { headline }, day }: Style): string {
  switch (invoice.status) {
    case 'draft':
      return headline.draft;
    case 'open':
    case 'uncollectible':
      return headline.due(day(invoice.dueDate));
    case 'paid':
      return headline.paid(day(invoice.paidAt!));
    case 'void':
      return headline.void(day(invoice.voidedAt!));
  }
}

/** Lines in view, in the order of the invoice's subscriptions, the first of each under the name of its plan. */
export function underHeadings<Line extends Pick<InvoiceLine, 'amount' | 'subscriptionId'>>(
  { parts, currency }: Pick<Invoice, 'parts' | 'currency'>,
  lines: readonly Line[],
  { money }: Pick<Style, 'money'>,
  view: (line: Line) => LineView,
): LineView[] {
  if (!parts) return lines.map(view);
  return parts.flatMap(({ subscriptionId, planName: text }) => {
    const ofPlan = lines.filter((line) => line.subscriptionId === subscriptionId);
    const amount = money(moneyString(sumOf(ofPlan.map((line) => line.amount)), currency));
    return ofPlan.map((line, i) => (i === 0 ? { ...view(line), heading: { text, amount } } : view(line)));
  });
}

/** What a line is for, with what the product says of it in the document's language. */
export function descriptionOf(line: InvoiceLine, { notes }: Wording['line']): string {
  const { name, note } = readDescription(line);
  return note === null ? name : notes[note](name);
}

function lineView(line: InvoiceLine, currency: string, style: Style): LineView {
  const { words, formats, money, language } = style;
  const of = line.proratedFrom;
  const period = style.period(line.periodStart, line.periodEnd);
  const quantity = formats.quantity(line.quantity);
  const unitPrice = line.unitPrice === undefined ? null : formats.unitPrice(line.unitPrice, currency);
  return {
    heading: null,
    description: descriptionOf(line, words.line),
    period: of ? words.line.partOf(period, style.period(of.start, of.end)) : period,
    quantity,
    unitPrice,
    reckoning: unitPrice === null ? (line.quantity === '1' ? null : quantity) : `${quantity} × ${unitPrice}`,
    tiers: [
      ...(line.tiers ?? []).map((tier, i) => ({
        text: tierText(tier, i === 0, currency, language),
        amount: formats.unitPrice(tier.amount, currency),
      })),
      ...boundView(line, style),
      ...commitmentView(line, style),
      ...lateView(line, style),
      ...invoicedView(line, style),
    ],
    amount: money(line.amount),
  };
}

/** How the amount can be another than what is listed. */
function boundView(
  { amount, amountBeforeMinimum, amountBeforeMaximum }: InvoiceLine,
  { words, money }: Style,
) {
  if (amountBeforeMinimum !== undefined)
    return [{ text: words.line.atLeast(money(amountBeforeMinimum)), amount: money(amount) }];
  if (amountBeforeMaximum === undefined) return [];
  return [{ text: words.line.atMost(money(amountBeforeMaximum)), amount: money(amount) }];
}

/** What a period comes to by now, what was billed for it, and how the amount can be another than the difference. */
function lateView({ late, amount }: InvoiceLine, { words: { line }, formats, money }: Style) {
  if (late === undefined) return [];
  const { billed, counted, quantities } = late;
  const number = formats.quantity;
  const groups = quantities.flatMap(({ group, ...one }) =>
    group === undefined ? [] : [line.groupChange(group, number(one.counted), number(one.billed))],
  );
  const whole = quantities.find(({ group }) => group === undefined);
  const row = (text: string, of: string) => ({ text, amount: money(of) });
  const isDifference = new Decimal(counted).minus(billed).eq(amount);
  return [
    ...groups.map((text) => ({ text, amount: null })),
    row(line.byNow(whole ? number(whole.counted) : null), counted),
    row(line.billedBefore(whole ? number(whole.billed) : null), billed),
    ...(isDifference ? [] : [row(line.lessTakenOff, amount)]),
  ];
}

/** What was invoiced before the period was over, where it has become cheaper since and not all of the difference is given back. */
function invoicedView({ invoiced, amount }: InvoiceLine, { words: { line }, money }: Style) {
  if (invoiced === undefined || new Decimal(invoiced.billed).plus(amount).isZero()) return [];
  const { billed, counted } = invoiced;
  const charged = new Decimal(counted).plus(amount).toFixed();
  return [
    { text: line.byNow(null), amount: money(counted) },
    { text: line.billedBefore(null), amount: money(billed) },
    { text: line.lessTakenOff, amount: money(charged) },
  ];
}

/** What was committed to, where that is not simply the least amount of a period, and what was charged of it. */
function commitmentView({ commitment }: InvoiceLine, { words: { line }, money, period }: Style) {
  if (commitment === undefined) return [];
  const { parts, due, counted, countedBefore } = commitment;
  const isWhole = parts.length === 1 && new Decimal(parts[0]!.minimum).eq(due);
  const row = (text: string, amount: string | null) => ({
    text,
    amount: amount === null ? null : money(amount),
  });
  const { commitment: texts } = line;
  return [
    ...(isWhole ? [] : parts).map(({ minimum, start, end }) =>
      row(texts.part(money(minimum), period(start, end)), null),
    ),
    row(texts.due, due),
    row(countedBefore === undefined ? texts.counted : texts.countedByNow, counted),
    ...(countedBefore === undefined ? [] : [row(texts.countedBefore, countedBefore)]),
  ];
}

/** A tax as it is named: `VAT 19%`. */
export function taxText(
  { name, percentage, inclusive }: AppliedTax,
  { words, formats }: Pick<Style, 'words' | 'formats'>,
): string {
  const tax = `${name} ${formats.percentage(percentage)}`;
  return inclusive ? words.totals.contains(tax) : tax;
}

function totals(invoice: Invoice, style: Style): InvoiceView['totals'] {
  const { totals: words } = style.words;
  const { currency, total, lines, status, balanceApplied, excess } = invoice;
  const nothing = moneyString(sumOf([]), currency);
  const row = (label: string, amount: string, strong = false) => ({
    label,
    amount: style.money(amount),
    strong,
  });
  const subtotal = row(words.subtotal, moneyString(sumOf(lines.map(({ amount }) => amount)), currency));
  const discounts = (invoice.discounts ?? []).map(({ name, amount }) => row(name, `-${amount}`));
  const taxes = (invoice.taxes ?? []).map((tax) => row(taxText(tax, style), tax.amount));
  const fromBalance = balanceApplied === nothing ? [] : [row(words.fromBalance, balanceApplied)];
  const toBalance = excess === undefined ? [] : [row(words.toBalance, excess)];
  const charged = [subtotal, ...discounts, ...taxes];
  if (status === 'draft') return [...charged, row(words.total(currency), total, true), ...toBalance];
  const notes = (amountOf: (note: CreditNote) => Decimal) =>
    invoice.creditNotes
      .filter((note) => !amountOf(note).isZero())
      .map((note) => row(words.creditNote(note.number ?? '').trim(), amountOf(note).negated().toFixed()));
  const isOwed = status !== 'paid' && status !== 'void';
  return [
    ...charged,
    row(words.total(currency), total),
    ...(status === 'void' ? [] : [...fromBalance, ...toBalance]),
    ...notes(({ unpaid }) => new Decimal(unpaid)),
    ...(status === 'paid' ? [row(words.paid, amountToPay(invoice))] : []),
    ...notes(({ toBalance, refunded }) => new Decimal(toBalance).plus(refunded)),
    row(words.due, isOwed ? amountToPay(invoice) : nothing, true),
  ];
}

/** Where a tax is not charged, most laws want the reason on the invoice. */
function exemption({ taxExemption }: Invoice, { words }: Style): string[] {
  return taxExemption === undefined ? [] : [words.noTax(taxExemption)];
}

function note(invoice: Invoice, { words, day }: Style): string {
  const { note: texts } = words;
  switch (invoice.status) {
    case 'draft':
      return texts.draft;
    case 'open':
    case 'uncollectible':
      return texts.dueBy(day(invoice.dueDate));
    case 'paid': {
      const paidBy = successfulAttempt(invoice);
      if (paidBy) return texts.paidWith(day(invoice.paidAt!), cardText(paidBy.method.label, words));
      if (new Decimal(invoice.balanceApplied).isZero()) return texts.nothingToPay;
      return texts.paidFromBalance(day(invoice.paidAt!));
    }
    case 'void':
      return texts.voided(day(invoice.voidedAt!));
  }
}

function successfulAttempt(invoice: Invoice): PaymentAttempt | undefined {
  return invoice.attempts.find(({ status }) => status === 'succeeded');
}
