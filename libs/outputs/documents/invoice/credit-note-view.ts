import type { CreditNote, Invoice } from '#libs/contexts/invoicing';
import { Decimal, moneyString, sumOf } from '#libs/kernel/core';
import type { PrintedInvoiceContent } from './invoice-view.js';
import { descriptionOf, lineTax, periodOfLine, groupUnderHeadings, type LineView } from './line-view.js';
import { servicePeriod } from './printed-lines.js';
import { partiesView } from './parties.js';
import {
  customerDetails,
  exemptionText,
  showsRatesPerLine,
  localeOf,
  taxRows,
  type DocumentLocale,
  type TaxedAmount,
} from './document-locale.js';

/** Makes the printed texts of a credit note, in the language of its invoice. */
export function creditNoteView(invoice: Invoice, note: CreditNote): PrintedInvoiceContent {
  const { currency } = invoice;
  const parties = partiesView(invoice, invoice.sellerName);
  const { sellerName } = parties;
  const locale = localeOf(invoice);
  const { words, money, day } = locale;
  const number = note.number ?? words.draft;
  const title = `${words.creditNote} ${number}`;
  return {
    language: locale.language,
    labels: words.labels,
    title: sellerName === null ? title : words.titleFrom(title, sellerName),
    heading: words.creditNote,
    currency,
    ...parties,
    number,
    status: note.voidedAt === undefined ? 'paid' : 'void',
    stamp: note.voidedAt === undefined ? null : words.credit.voidStamp,
    facts: [
      { label: words.facts.issued, value: day(note.issuedAt) },
      { label: words.facts.invoice, value: invoice.number ?? '' },
      { label: words.facts.reason, value: words.credit.reasons[note.reason] },
      ...customerDetails(invoice, locale),
    ],
    headline: {
      amount: money(note.total),
      text:
        note.voidedAt === undefined ? words.headline.credited : words.credit.voidSince(day(note.voidedAt)),
    },
    memo: note.memo,
    lines: linesOf(invoice, note, locale),
    hasTaxColumn: note.lines.length > 0 && showsRatesPerLine(invoice.lines),
    totals: [
      ...(isZero(note.discount)
        ? []
        : [{ label: words.credit.discount, amount: money(`-${note.discount}`), strong: false }]),
      ...taxRows(
        { taxes: note.taxes, gross: withoutAddedTaxes(note), amounts: amountsOf(invoice, note) },
        locale,
      ),
      { label: words.credit.total(currency), amount: money(note.total), strong: true },
    ],
    creditsUsed: [],
    note: locale.joinSentences([...whereItGoes(note, locale), ...exemptionText(invoice, locale)]),
    payTo: null,
    transferCode: null,
    swissBill: null,
    footer: invoice.settings.invoiceFooter,
  };
}

/** Returns a text that names the destination of the credit, or says that the note is void, in the language of its invoice. */
export function creditDestinationText(invoice: Invoice, note: CreditNote): string {
  const locale = localeOf(invoice);
  return locale.joinSentences(whereItGoes(note, locale));
}

function linesOf(invoice: Invoice, note: CreditNote, locale: DocumentLocale): LineView[] {
  const { words, money, period } = locale;
  const blank = {
    heading: null,
    quantity: '',
    unitPrice: null,
    tax: null,
    quantityAndPrice: null,
    tiers: [],
  };
  if (note.lines.length === 0) {
    const service = servicePeriod(invoice);
    return [
      {
        ...blank,
        description: words.credit.onInvoice(invoice.number ?? ''),
        period: period(service.start, service.end),
        amount: money(moneyString(withoutAddedTaxes(note), invoice.currency)),
      },
    ];
  }
  const credited = note.lines.flatMap(({ id, amount }) => {
    const line = invoice.lines.find((one) => one.id === id);
    return line ? [{ ...line, amount }] : [];
  });
  return groupUnderHeadings(invoice, credited, locale, (line) => ({
    ...blank,
    description: descriptionOf(line, locale.language),
    tax: lineTax(line, invoice, locale),
    period: periodOfLine(line, locale),
    amount: money(line.amount),
  }));
}

/** The amount that a credit note gives back, without the taxes that were added to net prices. */
function withoutAddedTaxes({ taxes, total }: CreditNote): Decimal {
  const added = taxes.filter(({ inclusive }) => !inclusive).map(({ amount }) => amount);
  return new Decimal(total).minus(sumOf(added));
}

/** The amount of each line that a credit note gives back, after discounts. */
function amountsOf({ lines }: Invoice, { allocations = [] }: CreditNote): TaxedAmount[] {
  return allocations.map(({ lineId, amount }) => {
    const { taxRateIds } = lines.find(({ id }) => id === lineId) ?? {};
    return { amount: new Decimal(amount), ...(taxRateIds ? { taxRateIds } : {}) };
  });
}

function whereItGoes(
  { unpaid, toBalance, refunded, voidedAt }: CreditNote,
  { words: { credit }, money, day }: DocumentLocale,
): string[] {
  if (voidedAt !== undefined) return [credit.voided(day(voidedAt))];
  return [
    ...(isZero(unpaid) ? [] : [credit.takenOff(money(unpaid))]),
    ...(isZero(toBalance) ? [] : [credit.toBalance(money(toBalance))]),
    ...(isZero(refunded) ? [] : [credit.refunded(money(refunded))]),
  ];
}

function isZero(amount: string): boolean {
  return new Decimal(amount).isZero();
}
