import { Decimal } from 'decimal.js';
import type { SeenInvoice, SeenPayment, Sight } from './observed.ts';
import type { PaymentOperation } from './operations.ts';

/** What an invoice, and the customer's balance, are expected to show after a request was accepted. */
export interface PaidState {
  readonly invoiceId: string | null;
  readonly status: SeenInvoice['status'] | null;
  readonly due: Decimal;
  readonly paid: Decimal;
  readonly balance: Decimal;
}

/** A request about money that the gateway does not charge, and what the model says of it. */
export interface PaymentRequest {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body: object;
  /** The code of the refusal; null: it is accepted. */
  readonly refusal: string | null;
  readonly after: PaidState;
  /** What it adds to the balance without an invoice, and whether money moved. Absent: it is about an invoice. */
  readonly adjusts?: { readonly amount: number; readonly isMoney: boolean };
}

/** The invoice that a request is about: `unpaid`: the newest that is owed. */
export type PaidInvoice = 'unpaid' | 'newest';

/** The request of an operation by docs/payments.md; undefined: there is nothing to do it to. `sight` is of now. */
export function paymentRequest(
  operation: PaymentOperation,
  sight: Sight,
  customerId: string,
): PaymentRequest | undefined {
  const balance = new Decimal(sight.balance);
  switch (operation.type) {
    case 'recordPayment': {
      const invoice = invoiceOf(sight, operation.invoice);
      if (!invoice) return undefined;
      const amount = partOf(invoice, operation.part);
      const { method } = operation;
      const paid = Decimal.min(amount, invoice.amountDue);
      return {
        method: 'POST',
        path: `${pathOf(invoice)}/payments`,
        body: { amount: amount.toNumber(), method },
        refusal: refusalOf(invoice),
        after: paidState(invoice, paid, balance.plus(amount).minus(paid)),
      };
    }
    case 'payFromBalance': {
      const invoice = invoiceOf(sight, operation.invoice);
      if (!invoice) return undefined;
      const asked = operation.amount === 'most' ? null : new Decimal(operation.amount);
      const amount = asked ?? Decimal.min(invoice.amountDue, balance);
      const isTooMuch = asked?.gt(invoice.amountDue) === true;
      const isShort = amount.isZero() || amount.gt(balance);
      return {
        method: 'POST',
        path: `${pathOf(invoice)}/payments`,
        body: { method: 'balance', ...(asked === null ? {} : { amount: asked.toNumber() }) },
        refusal: refusalOf(invoice) ?? (isTooMuch ? 'validation_failed' : isShort ? 'balance_too_low' : null),
        after: paidState(invoice, amount, balance.minus(amount)),
      };
    }
    case 'reversePayment':
      return reversal(sight, balance, operation.payment);
    case 'giveBalance':
    case 'takeBalance': {
      const amount = operation.type === 'giveBalance' ? operation.amount : -operation.amount;
      const { isMoney } = operation;
      const after = balance.plus(amount);
      return {
        method: 'POST',
        path: `/v1/customers/${customerId}/balance`,
        body: { amount, reason: 'Agreed', ...(isMoney ? { method: 'bank_transfer' } : {}) },
        refusal: after.isNegative() ? 'balance_too_low' : null,
        after: { invoiceId: null, status: null, due: new Decimal(0), paid: new Decimal(0), balance: after },
        adjusts: { amount, isMoney },
      };
    }
  }
}

/** A payment that counts is preferred: the reversal of another one is refused. */
function reversal(sight: Sight, balance: Decimal, which: 'newest' | 'oldest'): PaymentRequest | undefined {
  const all = sight.invoices.flatMap((invoice) => invoice.payments.map((payment) => ({ invoice, payment })));
  const counting = all.filter(({ payment }) => counts(payment));
  const found = (counting.length > 0 ? counting : all).at(which === 'newest' ? -1 : 0);
  if (!found) return undefined;
  const { invoice, payment } = found;
  const excess = new Decimal(payment.balanceCredited);
  const back = payment.method === 'balance' ? new Decimal(payment.amount) : excess.negated();
  const paid = new Decimal(payment.amount).minus(excess);
  const refusal = counts(payment) ? (excess.gt(balance) ? 'balance_used' : null) : 'payment_reversed';
  return {
    method: 'DELETE',
    path: `${pathOf(invoice)}/payments/${payment.id}`,
    body: { reason: 'It bounced' },
    refusal,
    after: { ...paidState(invoice, paid.negated(), balance.plus(back)), status: 'open' },
  };
}

/** Whether a recorded payment is no reversed one. */
export function counts({ status }: SeenPayment): boolean {
  return status === 'succeeded';
}

function invoiceOf({ invoices }: Sight, which: PaidInvoice): SeenInvoice | undefined {
  const payable = invoices.filter(({ kind, issuedAt }) => kind !== 'credit_purchase' && issuedAt !== null);
  return payable.findLast((invoice) => which === 'newest' || isOwed(invoice)) ?? payable.at(-1);
}

function isOwed({ status }: SeenInvoice): boolean {
  return status === 'open' || status === 'uncollectible';
}

function refusalOf({ status }: SeenInvoice): string | null {
  return status === 'paid' ? 'invoice_already_paid' : status === 'void' ? 'invoice_void' : null;
}

/** Of what is not owed, any amount is refused. */
function partOf({ amountDue }: SeenInvoice, part: 'part' | 'all' | 'more'): Decimal {
  const due = new Decimal(amountDue === 0 ? 10 : amountDue);
  if (part === 'more') return due.plus(12.5);
  return part === 'all' ? due : Decimal.max(0.01, due.times(0.4).toDecimalPlaces(2, Decimal.ROUND_DOWN));
}

function paidState(invoice: SeenInvoice, paid: Decimal, balance: Decimal): PaidState {
  const due = new Decimal(invoice.amountDue).minus(paid);
  const status = due.isZero() ? 'paid' : invoice.status;
  return { invoiceId: invoice.id, status, due, paid: new Decimal(invoice.amountPaid).plus(paid), balance };
}

function pathOf({ id }: SeenInvoice): string {
  return `/v1/invoices/${id}`;
}
