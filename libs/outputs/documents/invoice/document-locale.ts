import { moneyString, sumOf, type Decimal, type Language } from '#libs/kernel/core';
import { knownFields } from '#libs/contexts/customers';
import type { Invoice } from '#libs/contexts/invoicing';
import { datesTimezone, type AppliedTax, type InvoiceLine, type TaxRate } from '#libs/rating';
import { wordingOf, type Wording } from '../languages/index.js';
import { formatsOf, type Formats } from './format.js';

/** In what words and figures a document is laid out. */
export interface DocumentLocale {
  words: Wording;
  formats: Formats;
  language: Language;
  currency: string;
  /** Of the invoice's currency. */
  money: (amount: string) => string;
  /** By the calendar that dates the invoice. */
  day: (instant: string) => string;
  /** By the customer's calendar. */
  period: (start: string, end: string) => string;
}

/** The words and figures of an invoice's language, currency and time zones. */
export function localeOf(invoice: Invoice): DocumentLocale {
  const { settings, currency, timezone } = invoice;
  const { language } = settings;
  const datedIn = datesTimezone(invoice);
  const formats = formatsOf(language);
  return {
    ...{ words: wordingOf(language), formats, language, currency },
    money: (amount) => formats.money(amount, currency),
    day: (instant) => formats.date(instant, datedIn),
    period: (start, end) => formats.period(start, end, timezone),
  };
}

/** What a document charges or gives back on a line, after discounts. */
export interface TaxedAmount extends Pick<InvoiceLine, 'taxRateIds'> {
  amount: Decimal;
}

/**
 * The net total of a document, and each rate with what it is on: `VAT 19% on €100.00`. Where lines have different rates, also what no
 * tax is on. Nothing where there is no tax. `gross`: with the taxes that the amounts contain, without those that are added.
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

/** A tax rate as it is named: `VAT 19%`. */
export function taxName({ name, percentage }: TaxRate, { formats }: Pick<DocumentLocale, 'formats'>): string {
  return `${name} ${formats.percentage(percentage)}`;
}

/** Whether lines have different rates, so that each must say its own. */
export function hasSeveralRates(lines: readonly Pick<InvoiceLine, 'taxRateIds'>[]): boolean {
  return lines.some(({ taxRateIds }) => taxRateIds !== undefined);
}

/** What the customer wants to read on its documents: the number of its purchase order, and fields of its own. */
export function customerFacts(
  { poNumber, customFields }: Pick<Invoice, 'poNumber' | 'customFields'>,
  { words: { facts } }: Pick<DocumentLocale, 'words'>,
): { label: string; value: string }[] {
  return [
    ...(poNumber === undefined ? [] : [{ label: facts.poNumber, value: poNumber }]),
    ...knownFields(customFields).map(({ name, value }) => ({ label: name, value })),
  ];
}

/** Where a tax is not charged, most laws want the reason on the paper. */
export function exemptionText({ taxExemption }: Invoice, { words }: Pick<DocumentLocale, 'words'>): string[] {
  return taxExemption === undefined ? [] : [words.noTax(taxExemption)];
}
