import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { linesCreditableBy, type InvoiceWithGiveBacks } from '#libs/contexts/invoicing';
import { ratesOfLine, type AppliedTax, type InvoiceLine, type GiveBackSourceLine } from '#libs/rating';

/**
 * An earlier invoice. A later invoice can give back amounts that the lines of the earlier invoice charged. The earlier invoice can be
 * planned, so that it does not exist yet.
 */
export type SourceInvoice = InvoiceWithGiveBacks & {
  readonly invoiceId: string;
  /** The taxes of an existing invoice. Absent if the invoice has no taxes. */
  readonly taxes?: readonly AppliedTax[];
  /** True for an invoice that does not exist yet. Its taxes are not known. */
  readonly isPlanned?: true;
};

/**
 * The lines of an earlier invoice whose amounts the invoice `laterInvoiceId` can still give back. Each line has its remaining amount and
 * its tax rates: see `linesCreditableBy`. Lines without a remaining amount are omitted.
 */
export function sourceLinesCreditableBy(
  laterInvoiceId: string,
  invoice: SourceInvoice,
  isOf: (line: InvoiceLine) => boolean,
): GiveBackSourceLine[] {
  const { invoiceId, lines, taxes = [], isPlanned } = invoice;
  const of = lines.filter(isOf);
  if (of.length === 0) return [];
  const lefts = new Map(linesCreditableBy(laterInvoiceId, invoice).map((line) => [line.lineId, line.left]));
  return of.flatMap((line) => {
    const left = lefts.get(line.id)!;
    if (!new Decimal(left).gt(0)) return [];
    return [
      { invoiceId, lineId: line.id, left, ...(isPlanned ? {} : { taxRates: ratesOfLine(taxes, line) }) },
    ];
  });
}

/** The sum of the remaining amounts of source lines. */
export function sumOfRemainingAmounts(
  sources: readonly GiveBackSourceLine[],
  currency: string,
): DecimalString {
  return moneyString(sumOf(sources.map(({ left }) => left)), currency);
}

/**
 * The lines of earlier invoices whose amounts an issued invoice gave back. `left` is exactly the amount that was given back of the line.
 */
export function restoreSourceLines(
  { lines, taxes = [] }: { readonly lines: readonly InvoiceLine[]; readonly taxes?: readonly AppliedTax[] },
  isOf: (line: InvoiceLine) => boolean,
): GiveBackSourceLine[] {
  return lines.filter(isOf).flatMap((line) =>
    (line.givesBack ?? []).map(({ invoiceId, lineId, amount }) => ({
      invoiceId,
      lineId,
      left: amount,
      taxRates: ratesOfLine(taxes, line),
    })),
  );
}
