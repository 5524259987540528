import { moneyString, sumOf, type Decimal, type Language } from '#libs/kernel/core';
import { customFieldsOrNone } from '#libs/contexts/customers';
import type { Invoice } from '#libs/contexts/invoicing';
import { timezoneOfDates, type AppliedTax, type InvoiceLine, type TaxRate } from '#libs/rating';
import { wordingOf, type Wording } from '../languages/index.js';
import { formatsOf, type Formats } from './format.js';

/** The words of a document, and functions that write its amounts, days and periods. */
export interface DocumentLocale {
  words: Wording;
  formats: Formats;
  language: Language;
  currency: string;
  /** Joins sentences, with a space between them if the language puts a space between sentences. */
  joinSentences: (sentences: readonly string[]) => string;
  /** Writes an amount in the invoice's currency. */
  money: (amount: string) => string;
  /** Writes the day of an instant, in the time zone in which the invoice is dated. */
  day: (instant: string) => string;
  /** Writes an instant with its time, in the time zone in which the invoice is dated. */
  time: (instant: string) => string;
  /** Writes a period, in the customer's time zone. */
  period: (start: string, end: string) => string;
}

/** The locale of an invoice, from its language, currency and time zones. */
export function localeOf(invoice: Invoice): DocumentLocale {
  const { settings, currency, timezone } = invoice;
  const { language } = settings;
  const datedIn = timezoneOfDates(invoice);
  const formats = formatsOf(language);
  const words = wordingOf(language);
  const periods = new Map<string, string>();
  return {
    words,
    formats,
    language,
    currency,
    joinSentences: (sentences) => sentences.join(words.betweenSentences),
    money: (amount) => formats.money(amount, currency),
    day: (instant) => formats.date(instant, datedIn),
    time: (instant) => formats.time(instant, datedIn),
    period: (start, end) => {
      // Most lines of an invoice have the same period, and writing a period takes 20 µs.
      const name = `${start} ${end}`;
      const text = periods.get(name) ?? formats.period(start, end, timezone);
      periods.set(name, text);
      return text;
    },
  };
}

/** The amount that a document charges or gives back on a line, after discounts. */
export interface TaxedAmount extends Pick<InvoiceLine, 'taxRateIds'> {
  amount: Decimal;
}

/**
 * The rows for the net total of a document and for each tax rate, such as `VAT 19% on €100.00`. If the lines have different tax rates, a
 * row shows the untaxed amount. A document without tax has no rows. `gross` contains the inclusive taxes, but not the added taxes.
 */
export function taxRows(
  {
    taxes,
    gross,
    amounts,
  }: { taxes: readonly AppliedTax[]; gross: Decimal; amounts: readonly TaxedAmount[] },
  {
    words: { totals },
    currency,
    formats,
    money,
  }: Pick<DocumentLocale, 'words' | 'currency' | 'formats' | 'money'>,
): { label: string; amount: string; strong: false }[] {
  if (taxes.length === 0) return [];
  const row = (label: string, amount: string) => ({ label, amount: money(amount), strong: false as const });
  const contained = sumOf(taxes.filter(({ inclusive }) => inclusive).map(({ amount }) => amount));
  const untaxed = sumOf(
    amounts.filter(({ taxRateIds }) => taxRateIds?.length === 0).map(({ amount }) => amount),
  );
  return [
    row(totals.net, moneyString(gross.minus(contained), currency)),
    ...taxes.map((tax) => {
      const text = totals.taxOn(taxName(tax, { formats }), money(tax.taxable));
      return row(tax.inclusive ? totals.contains(text) : text, tax.amount);
    }),
    ...(untaxed.isZero() ? [] : [row(totals.noTaxOn(money(moneyString(untaxed, currency))), '0')]),
  ];
}

/** The name of a tax rate with its percentage, such as `VAT 19%`. */
export function taxName({ name, percentage }: TaxRate, { formats }: Pick<DocumentLocale, 'formats'>): string {
  return `${name} ${formats.percentage(percentage)}`;
}

/** Tells whether the lines have different tax rates, so that each line must show its own rates. */
export function showsRatesPerLine(lines: readonly Pick<InvoiceLine, 'taxRateIds'>[]): boolean {
  return lines.some(({ taxRateIds }) => taxRateIds !== undefined);
}

/** The customer's own data that is printed on its documents: the number of its purchase order, and its custom fields. */
export function customerDetails(
  { poNumber, customFields }: Pick<Invoice, 'poNumber' | 'customFields'>,
  { words: { facts } }: Pick<DocumentLocale, 'words'>,
): { label: string; value: string }[] {
  return [
    ...(poNumber === undefined ? [] : [{ label: facts.poNumber, value: poNumber }]),
    ...customFieldsOrNone(customFields).map(({ name, value }) => ({ label: name, value })),
  ];
}

/** The reason why no tax is charged. Most tax laws require the reason for a tax exemption on the invoice. */
export function exemptionText({ taxExemption }: Invoice, { words }: Pick<DocumentLocale, 'words'>): string[] {
  return taxExemption === undefined ? [] : [words.noTax(taxExemption)];
}
