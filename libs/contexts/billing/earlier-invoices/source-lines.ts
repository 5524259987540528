import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { remainingLinesFor, type GivingInvoice } from '#libs/contexts/invoicing';
import { ratesOfLine, type AppliedTax, type InvoiceLine, type SourceLine } from '#libs/rating';

/** An invoice, or what it will be. */
export type ChargingInvoice = GivingInvoice & {
  readonly invoiceId: string;
  /** Those of an invoice that has been made; absent where there are none. */
  readonly taxes?: readonly AppliedTax[];
  /** Of what is still in the making: its taxes are not known. */
  readonly isPlanned?: true;
};

/**
 * What the invoice `byInvoiceId` can still give back of an earlier invoice's lines, in their order, with the tax rates that were paid. See
 * `remainingLinesFor`. Lines of which nothing is left are left out.
 */
export function sourceLines(
  byInvoiceId: string,
  invoice: ChargingInvoice,
  isOf: (line: InvoiceLine) => boolean,
): SourceLine[] {
  const { invoiceId, lines, taxes = [], isPlanned } = invoice;
  const of = lines.filter(isOf);
  if (of.length === 0) return [];
  const lefts = new Map(remainingLinesFor(byInvoiceId, invoice).map((line) => [line.lineId, line.left]));
  return of.flatMap((line) => {
    const left = lefts.get(line.id)!;
    if (!new Decimal(left).gt(0)) return [];
    return [
      { invoiceId, lineId: line.id, left, ...(isPlanned ? {} : { taxRates: ratesOfLine(taxes, line) }) },
    ];
  });
}

/** What is left of all of them. */
export function leftOf(sources: readonly SourceLine[], currency: string): DecimalString {
  return moneyString(sumOf(sources.map(({ left }) => left)), currency);
}

/** The same as an invoice says of the lines that give back, with just what they give back left. */
export function sourceLinesOn(
  { lines, taxes = [] }: { readonly lines: readonly InvoiceLine[]; readonly taxes?: readonly AppliedTax[] },
  isOf: (line: InvoiceLine) => boolean,
): SourceLine[] {
  return lines.filter(isOf).flatMap((line) =>
    (line.givesBack ?? []).map(({ invoiceId, lineId, amount }) => ({
      ...{ invoiceId, lineId, left: amount },
      taxRates: ratesOfLine(taxes, line),
    })),
  );
}
