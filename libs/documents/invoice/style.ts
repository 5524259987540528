import type { Language } from '#libs/core';
import { datesTimezone, type Invoice } from '#libs/invoicing';
import type { AppliedTax } from '#libs/rating';
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

/** A tax as it is named: `VAT 19%`. */
export function taxText(
  { name, percentage, inclusive }: AppliedTax,
  { words, formats }: Pick<Style, 'words' | 'formats'>,
): string {
  const tax = `${name} ${formats.percentage(percentage)}`;
  return inclusive ? words.totals.contains(tax) : tax;
}

/** Where a tax is not charged, most laws want the reason on the paper. */
export function exemptionText({ taxExemption }: Invoice, { words }: Pick<Style, 'words'>): string[] {
  return taxExemption === undefined ? [] : [words.noTax(taxExemption)];
}
