import { dayIn, Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import type { TaxExemption } from '#libs/contexts/customers';
import { timezoneOfDates, type AppliedTax } from '#libs/rating';
import { allocationsOf } from './creditable-lines.js';
import type { CreditNote } from './credit-notes/credit-note.js';
import type { Invoice } from './invoice.js';
import { linesWithRevenue } from './postings/invoices.js';
import { taxRatesOfLine } from './tax-rates-of-line.js';

/**
 * What one document adds to a tax report for one tax rate. An invoice adds its net amounts and taxes, and a credit note or a void subtracts
 * them. If an amount has two taxes, both of their entries have it as net amount.
 */
export interface TaxEntry {
  document: 'invoice' | 'invoice_void' | 'credit_note' | 'credit_note_void';
  /** The date of the document, or of its void, in the time zone of the invoice's dates. */
  date: string;
  /** The country of the customer's address on the invoice. Null if the invoice has none, or if its personal data was erased. */
  country: string | null;
  /** Null for amounts without a tax. */
  taxRateId: string | null;
  name: string | null;
  percentage: DecimalString | null;
  /** The kind of the customer's exemption, for amounts without a tax. Null if the customer is not exempt. */
  exemption: TaxExemption | null;
  /** The amount without taxes. */
  net: DecimalString;
  tax: DecimalString;
}

/** The amounts of a document by tax rate, all above or below zero as the document says. */
type TaxAmounts = Pick<TaxEntry, 'taxRateId' | 'name' | 'percentage' | 'exemption' | 'net' | 'tax'>[];

/**
 * Returns what an invoice, its credit notes and their voids add to a tax report, in the order of their dates. A draft and an invoice that was
 * voided as a draft add nothing. What a later invoice gives back is in the entries of the later invoice.
 */
export function taxEntriesOf(invoice: Invoice): TaxEntry[] {
  const { issuedAt, voidedAt, creditNotes } = invoice;
  if (issuedAt === null) return [];
  const amounts = amountsOfInvoice(invoice);
  const entries = [
    ...entriesOf(invoice, 'invoice', issuedAt, amounts),
    ...(voidedAt === null ? [] : entriesOf(invoice, 'invoice_void', voidedAt, negated(amounts, invoice))),
    ...creditNotes.flatMap((note) => {
      const credited = amountsOfNote(note, invoice);
      return [
        ...entriesOf(invoice, 'credit_note', note.issuedAt, negated(credited, invoice)),
        ...(note.voidedAt === undefined
          ? []
          : entriesOf(invoice, 'credit_note_void', note.voidedAt, credited)),
      ];
    }),
  ];
  return entries.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

function entriesOf(
  invoice: Invoice,
  document: TaxEntry['document'],
  at: string,
  amounts: TaxAmounts,
): TaxEntry[] {
  const date = dayIn(timezoneOfDates(invoice), at);
  const country = invoice.billToAddress?.country ?? null;
  return amounts.map((one) => ({ document, date, country, ...one }));
}

function amountsOfInvoice(invoice: Invoice): TaxAmounts {
  const { lines, taxes = [], currency } = invoice;
  const untaxed = linesWithRevenue(lines, taxes, currency).filter(
    (_, i) => taxRatesOfLine(invoice, lines[i]!).length === 0,
  );
  return amountsOf(invoice, taxes, sumOf(untaxed.map(({ net }) => net)));
}

function amountsOfNote(note: CreditNote, invoice: Invoice): TaxAmounts {
  const untaxed = new Set(
    invoice.lines.filter((line) => taxRatesOfLine(invoice, line).length === 0).map(({ id }) => id),
  );
  // A void note has no allocations any more, but its entry is still needed.
  const { voidedAt: _, ...issued } = note;
  const credited = allocationsOf(issued, invoice).filter(({ lineId }) => untaxed.has(lineId));
  return amountsOf(invoice, note.taxes, sumOf(credited.map(({ amount }) => amount)));
}

function amountsOf(
  { currency, taxExemptionType }: Invoice,
  taxes: readonly AppliedTax[],
  untaxed: Decimal,
): TaxAmounts {
  const taxed = taxes.map(({ taxRateId, name, percentage, taxable, amount }) => ({
    taxRateId,
    name,
    percentage,
    exemption: null,
    net: taxable,
    tax: amount,
  }));
  const zero = moneyString(new Decimal(0), currency);
  const rest = {
    taxRateId: null,
    name: null,
    percentage: null,
    exemption: taxExemptionType ?? null,
    net: moneyString(untaxed, currency),
    tax: zero,
  };
  return untaxed.isZero() ? taxed : [...taxed, rest];
}

function negated(amounts: TaxAmounts, { currency }: Invoice): TaxAmounts {
  const minus = (amount: DecimalString) => moneyString(new Decimal(amount).negated(), currency);
  return amounts.map((one) => ({ ...one, net: minus(one.net), tax: minus(one.tax) }));
}
