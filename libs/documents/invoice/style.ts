import type { Language } from '#libs/core';
import { datesTimezone, type Invoice } from '#libs/invoicing';
import type { AppliedTax, InvoiceLine, TaxRate } from '#libs/rating';
import { wordingOf, type Wording } from '../languages/index.js';
import { formatsOf, type Formats } from './format.js';

/** In what words and figures a document is laid out. */
export interface Style {
  words: Wording;
  formats: Formats;
  language: Language;
  /** Of the invoice's currency. */
  money: (amount: string) => string;
  /** By the calendar that dates the invoice. */
  day: (instant: string) => string;
  /** By the customer's calendar. */
  period: (start: string, end: string) => string;
}

/** The words and figures of an invoice's language, currency and time zones. */
export function styleOf(invoice: Invoice): Style {
  const { settings, currency, timezone } = invoice;
  const { language } = settings;
  const datedIn = datesTimezone(invoice);
  const formats = formatsOf(language);
  return {
    ...{ words: wordingOf(language), formats, language },
    money: (amount) => formats.money(amount, currency),
    day: (instant) => formats.date(instant, datedIn),
    period: (start, end) => formats.period(start, end, timezone),
  };
}

/** The taxes of a document, row by row: `VAT 19%`, or `VAT 19% on €100.00` where lines have different ones. */
export function taxRows(
  taxes: readonly AppliedTax[],
  lines: readonly Pick<InvoiceLine, 'taxRateIds'>[],
  style: Pick<Style, 'words' | 'formats' | 'money'>,
): { label: string; amount: string; strong: false }[] {
  const { totals } = style.words;
  return taxes.map((tax) => {
    const name = taxName(tax, style);
    const text = hasSeveralRates(lines) ? totals.taxOn(name, style.money(tax.taxable)) : name;
    const label = tax.inclusive ? totals.contains(text) : text;
    return { label, amount: style.money(tax.amount), strong: false };
  });
}

/** A tax rate as it is named: `VAT 19%`. */
export function taxName({ name, percentage }: TaxRate, { formats }: Pick<Style, 'formats'>): string {
  return `${name} ${formats.percentage(percentage)}`;
}

/** Whether lines have different rates, so that each must say its own. */
export function hasSeveralRates(lines: readonly Pick<InvoiceLine, 'taxRateIds'>[]): boolean {
  return lines.some(({ taxRateIds }) => taxRateIds !== undefined);
}

/** Where a tax is not charged, most laws want the reason on the paper. */
export function exemptionText({ taxExemption }: Invoice, { words }: Pick<Style, 'words'>): string[] {
  return taxExemption === undefined ? [] : [words.noTax(taxExemption)];
}
