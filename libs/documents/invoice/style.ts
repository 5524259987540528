import type { Language } from '#libs/core';
import type { Invoice } from '#libs/invoicing';
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
