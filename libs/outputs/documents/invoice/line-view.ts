import { Decimal, moneyString, sumOf, translatedName, type Language } from '#libs/kernel/core';
import { taxRatesOfLine, type Invoice } from '#libs/contexts/invoicing';
import {
  chargedQuantity,
  dimensionsText,
  readLineDescription,
  type InvoiceLine,
  type BilledAndPresentQuantity,
} from '#libs/rating';
import { wordingOf, type Wording } from '../languages/index.js';
import { taxName, type DocumentLocale } from './document-locale.js';
import { tierText } from './tier-text.js';

/** The printed texts of a line of an invoice or a credit note. */
export interface LineView {
  /**
   * The heading above the line, on an invoice of several subscriptions: the plan of the lines that follow, and their sum. `null` if the
   * line has no heading.
   */
  heading: { text: string; amount: string } | null;
  description: string;
  /** The period is empty for credits that are bought or billed at one instant. */
  period: string;
  quantity: string;
  /** The price of a unit; `null` if the line has no unit price, for example because the units have different prices. */
  unitPrice: string | null;
  /**
   * The tax rates of the line, if the lines have different rates: short for a column, and in full for a view without one. Otherwise `null`.
   */
  tax: { short: string; full: string | null } | null;
  /**
   * The quantity and unit price, or the labelled quantity, for a view in which columns have no room. `null` if the quantity is 1 and the
   * line has no unit price.
   */
  quantityAndPrice: string | null;
  /** The rows that explain the amount of the line, such as its price tiers. `amount` is null for a row that states no amount. */
  tiers: { text: string; amount: string | null }[];
  amount: string;
}

/**
 * Returns the printed texts of the lines, in the order of the invoice's subscriptions. The name of each plan is printed above the plan's
 * first line. Overage of prepaid credits belongs to the customer and not to a plan, so its own heading is at the end.
 */
export function groupUnderHeadings<Line extends Pick<InvoiceLine, 'amount' | 'subscriptionId' | 'type'>>(
  { parts, currency }: Pick<Invoice, 'parts' | 'currency'>,
  lines: readonly Line[],
  { money, words, language }: Pick<DocumentLocale, 'money' | 'words' | 'language'>,
  view: (line: Line) => LineView,
): LineView[] {
  if (!parts) return lines.map(view);
  const under = (text: string, own: readonly Line[]): LineView[] => {
    const amount = money(moneyString(sumOf(own.map((line) => line.amount)), currency));
    return own.map((line, i) => (i === 0 ? { ...view(line), heading: { text, amount } } : view(line)));
  };
  const isOverage = ({ type }: Line): boolean => type === 'overage';
  return [
    ...parts.flatMap(({ subscriptionId, planName, planNameTranslations }) =>
      under(
        translatedName(planName, planNameTranslations, language),
        lines.filter((line) => line.subscriptionId === subscriptionId && !isOverage(line)),
      ),
    ),
    ...under(words.line.prepaidCredits, lines.filter(isOverage)),
  ];
}

/**
 * The period of a line. The period is empty for credits that are bought or billed at one instant, because this instant is not the period in
 * which the credits are used.
 */
export function periodOfLine(
  line: Pick<InvoiceLine, 'type' | 'periodStart' | 'periodEnd'>,
  { period }: Pick<DocumentLocale, 'period'>,
): string {
  return hasOwnTime(line) ? period(line.periodStart, line.periodEnd) : '';
}

/** Whether the period of a line is the time of its service. It is not that of credits that are bought or billed at one instant. */
export function hasOwnTime({
  type,
  periodStart,
  periodEnd,
}: Pick<InvoiceLine, 'type' | 'periodStart' | 'periodEnd'>): boolean {
  return !isInCredits(type) || periodStart !== periodEnd;
}

function isInCredits(type: InvoiceLine['type']): boolean {
  return type === 'credit_purchase' || type === 'overage';
}

/**
 * The description of a line in the document's language: the name of the charge, if the line has it in this language, and a note that the
 * product itself added to the line.
 */
export function descriptionOf(line: InvoiceLine, language: Language): string {
  const { name, values, note } = readLineDescription(line);
  const translated = translatedName(name, line.nameTranslations, language);
  const whole = values === null ? translated : `${translated} · ${values}`;
  return note === null ? whole : wordingOf(language).line.notes[note](whole);
}

/** Returns the printed texts of a line, with the parts of its amount. */
export function lineView(
  line: InvoiceLine,
  invoice: Pick<Invoice, 'currency' | 'taxes'>,
  locale: DocumentLocale,
): LineView {
  const { currency } = invoice;
  const { words, formats, money, language } = locale;
  const of = line.proratedFrom;
  const period = periodOfLine(line, locale);
  const counted = chargedQuantity(line);
  const number = formats.quantity(counted);
  const quantity = isInCredits(line.type) ? words.line.credits(number, formats.isSingular(counted)) : number;
  const unitPrice = line.unitPrice === undefined ? null : formats.unitPrice(line.unitPrice, currency);
  return {
    heading: null,
    description: descriptionOf(line, language),
    period: of ? words.line.partOf(period, locale.period(of.start, of.end)) : period,
    quantity,
    unitPrice,
    tax: lineTax(line, invoice, locale),
    quantityAndPrice: quantityAndPriceText(quantity, unitPrice, words),
    tiers: [
      ...(line.tiers ?? []).map((tier, i) => ({
        text: tierText(tier, i === 0, currency, language),
        amount: formats.exactMoney(tier.amount, currency),
      })),
      ...boundView(line, locale),
      ...commitmentView(line, locale),
      ...lateView(line, locale),
      ...invoicedView(line, locale),
    ],
    amount: money(line.amount),
  };
}

function quantityAndPriceText(
  quantity: string,
  unitPrice: string | null,
  { labels }: Wording,
): string | null {
  if (unitPrice !== null) return `${quantity} × ${unitPrice}`;
  return quantity === '1' ? null : `${labels.quantity} ${quantity}`;
}

/** The tax rates of a line, if the lines have different rates: `7%` or, without tax, a dash; `VAT 7%` in full. */
export function lineTax(
  line: Pick<InvoiceLine, 'taxRateIds'>,
  invoice: Pick<Invoice, 'taxes'>,
  locale: Pick<DocumentLocale, 'formats'>,
): LineView['tax'] {
  if (line.taxRateIds === undefined) return null;
  const rates = taxRatesOfLine(invoice, line);
  if (rates.length === 0) return { short: '–', full: null };
  return {
    short: rates.map(({ percentage }) => locale.formats.percentage(percentage)).join(' + '),
    full: rates.map((rate) => taxName(rate, locale)).join(' + '),
  };
}

function groupText(group: string, dimensions: BilledAndPresentQuantity['dimensions']): string {
  return dimensions ? dimensionsText(dimensions) : group;
}

/** The row that explains the amount of a line if the price's minimum or maximum has changed the amount. */
function boundView(
  { amount, amountBeforeMinimum, amountBeforeMaximum }: InvoiceLine,
  { words, money }: DocumentLocale,
) {
  if (amountBeforeMinimum !== undefined)
    return [{ text: words.line.atLeast(money(amountBeforeMinimum)), amount: money(amount) }];
  if (amountBeforeMaximum === undefined) return [];
  return [{ text: words.line.atMost(money(amountBeforeMaximum)), amount: money(amount) }];
}

/**
 * The rows of late usage: the present amount of the period, and the amount that was billed before. A further row explains a line amount
 * that is not their difference.
 */
function lateView({ late, amount }: InvoiceLine, { words: { line }, formats, money }: DocumentLocale) {
  if (late === undefined) return [];
  const { billed, counted, quantities } = late;
  const number = formats.quantity;
  const groups = quantities.flatMap(({ group, dimensions, ...one }) =>
    group === undefined
      ? []
      : [line.groupChange(groupText(group, dimensions), number(one.counted), number(one.billed))],
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

/**
 * The rows of usage that was invoiced before its period ended. There are no rows if the invoice gives back all that was billed before.
 */
function invoicedView({ invoiced, amount }: InvoiceLine, { words: { line }, money }: DocumentLocale) {
  if (invoiced === undefined || new Decimal(invoiced.billed).plus(amount).isZero()) return [];
  const { billed, counted } = invoiced;
  const charged = new Decimal(counted).plus(amount).toFixed();
  return [
    { text: line.byNow(null), amount: money(counted) },
    { text: line.billedBefore(null), amount: money(billed) },
    { text: line.lessTakenOff, amount: money(charged) },
  ];
}

/**
 * The rows of a minimum commitment: the commitment, and the charges of its period. If the commitment is not the whole minimum of one
 * period, the minimum of each of its periods is listed first.
 */
function commitmentView({ commitment }: InvoiceLine, { words: { line }, money, period }: DocumentLocale) {
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
