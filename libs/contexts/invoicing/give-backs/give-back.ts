import { sumOf, type Decimal, type DecimalString } from '#libs/kernel/core';
import type { AppliedTax, InvoiceLine, LineNet, TaxAmount } from '#libs/rating';

/** What a later invoice gave back of an invoice. Money has the currency's digits. */
export interface GiveBack {
  readonly byInvoiceId: string;
  /** Each line once; above zero, less coupons and before taxes that are added. */
  readonly lines: readonly LineNet[];
  /** What it gave back of each tax; absent: none. */
  readonly taxes?: readonly TaxAmount[];
}

/** What was taken off what is to be paid, because a later invoice gave back more than it charged. */
export interface Reduction {
  readonly byInvoiceId: string;
  readonly amount: DecimalString;
}

/** What of an invoice's payment is refunded, because a later invoice gave back more than it charged. Money has the currency's digits. */
export interface PaymentRefund {
  readonly byInvoiceId: string;
  readonly amount: DecimalString;
  /** `pending` until the payment gateway has it. */
  readonly status: 'pending' | 'succeeded';
}

/** What a later invoice gave back of an invoice, with the taxes that are added. */
export function grossOf(
  { lines, taxes: back = [] }: GiveBack,
  { taxes = [] }: { readonly taxes?: readonly AppliedTax[] },
): Decimal {
  const isAdded = ({ taxRateId }: TaxAmount) =>
    !taxes.some((tax) => tax.taxRateId === taxRateId && tax.inclusive);
  return sumOf([...lines, ...back.filter(isAdded)].map(({ amount }) => amount));
}

/** What later invoices have taken off what is to be paid. */
export function reducedBy(reductions: readonly Reduction[]): Decimal {
  return sumOf(reductions.map(({ amount }) => amount));
}

/** The earlier invoices that lines give something back of, each once, in the order of the lines. */
export function sourcesOf(lines: readonly Pick<InvoiceLine, 'givesBack'>[]): string[] {
  return [...new Set(lines.flatMap(({ givesBack = [] }) => givesBack.map(({ invoiceId }) => invoiceId)))];
}
