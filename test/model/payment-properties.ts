import { Decimal } from 'decimal.js';
import type { SeenInvoice, Sight } from './observed.ts';
import { counts, type PaidState } from './payment-requests.ts';
import type { Payments } from './payments.ts';
import { differ, sum, type Finding } from './properties.ts';

/** An invoice and the balance after a request that was accepted, against what the rules say of it. */
export function comparePaid(what: string, expected: PaidState, { invoices, balance }: Sight): Finding[] {
  const invoice = invoices.find(({ id }) => id === expected.invoiceId);
  const { status, due, paid } = expected;
  const ofInvoice = invoice ? `${status}, ${shown(due)} due, ${shown(paid)} paid, ` : '';
  const seen = invoice
    ? `${invoice.status}, ${shown(invoice.amountDue)} due, ${shown(invoice.amountPaid)} paid, `
    : '';
  return differ(
    'payments',
    `after ${what}`,
    `${ofInvoice}${shown(expected.balance)} on the balance`,
    `${seen}${shown(balance)} on the balance`,
  );
}

/** What each invoice shows as paid and due is what its charges, payments, credit notes and give-backs come to. */
export function compareAmounts({ invoices, notes, attempts }: Sight): Finding[] {
  return invoices.flatMap((invoice) => {
    if (invoice.issuedAt === null || invoice.status === 'void') return [];
    const paid = sum([
      ...charged(attempts[invoice.id] ?? []),
      ...invoice.payments
        .filter(counts)
        .map(({ amount, balanceCredited }) => new Decimal(amount).minus(balanceCredited)),
    ]);
    // The part of a note that nobody had paid.
    const credited = sum(
      notes
        .filter(({ invoiceId }) => invoiceId === invoice.id)
        .map(({ total, refundAmount, balanceAmount }) =>
          new Decimal(total).minus(refundAmount).minus(balanceAmount),
        ),
    );
    const { total, balanceApplied, amountReduced } = invoice;
    const due = new Decimal(total).minus(balanceApplied).minus(amountReduced).minus(credited).minus(paid);
    return differ(
      'payments',
      `the invoice of ${invoice.createdAt} shows`,
      `${shown(paid)} paid, ${shown(due)} due`,
      `${shown(invoice.amountPaid)} paid, ${shown(invoice.amountDue)} due`,
    );
  });
}

/** What customers paid or were given besides, and what they had of it: for the property `total`. */
export function moneyBesides({ invoices }: Sight): Decimal {
  return sum(
    invoices.flatMap(({ payments }) =>
      payments
        .filter(counts)
        .map(({ method, amount, balanceCredited }) => (method === 'balance' ? -amount : balanceCredited)),
    ),
  );
}

/** What customers got back: by refunds of the seller, and at the payment processor. */
export function refundedOf(invoices: Sight['invoices'], notes: Sight['notes']): Decimal {
  return sum([
    // What the processor gave back instead is among the amounts of its own refunds.
    ...notes.map(({ refundAmount, refundedAtProcessor }) => refundAmount - refundedAtProcessor),
    ...invoices.flatMap(({ refunds }) =>
      refunds.map(({ amount, refundedAtProcessor }) => amount - refundedAtProcessor),
    ),
    ...invoices.flatMap((invoice) => returnedAtGateway(invoice)),
  ]);
}

/** The amounts of an invoice that went back at the payment processor. */
export function returnedAtGateway({ gatewayRefunds, disputes }: SeenInvoice): number[] {
  const lost = disputes.filter(({ status }) => status === 'lost');
  return [...gatewayRefunds, ...lost].map(({ amount }) => amount);
}

/** What was taken off the balance, because it went back at the payment processor too. */
export function takenBackOf(invoices: Sight['invoices']): Decimal {
  return sum(
    invoices.flatMap(({ gatewayRefunds, disputes }) =>
      [...gatewayRefunds, ...disputes].map(({ takenBack }) => takenBack),
    ),
  );
}

/** The accounts of the ledger that have a customer's money. */
export function compareAccounts(payments: Payments, sight: Sight): Finding[] {
  const { invoices, notes, attempts, balance, accounts } = sight;
  const owed = invoices.filter(({ status }) => status === 'open').map(({ amountDue }) => amountDue);
  const refunded = refundedOf(invoices, notes);
  const received = sum([
    ...Object.values(attempts).flatMap(charged),
    ...invoices.flatMap((invoice) => receivedFor(invoice)),
    payments.receivedOnBalance,
  ]);
  const { accounts_receivable, customer_credit, cash, credit_adjustments } = accounts;
  return differ(
    'accounts',
    'the ledger has',
    accountText(sum(owed), new Decimal(-balance), received.minus(refunded), payments.givenToBalance),
    accountText(accounts_receivable, customer_credit, cash, credit_adjustments),
  );
}

function receivedFor({ payments }: SeenInvoice): number[] {
  return payments.filter((one) => counts(one) && one.method !== 'balance').map(({ amount }) => amount);
}

function charged(attempts: Sight['attempts'][string]): number[] {
  return attempts.filter(({ status }) => status === 'succeeded').map(({ amount }) => amount);
}

/** Debits, less credits. */
function accountText(...balances: readonly (Decimal | number | undefined)[]): string {
  const names = ['receivable', 'of the customer', 'cash', 'adjusted'];
  return names.map((name, index) => `${shown(balances[index] ?? 0)} ${name}`).join(', ');
}

function shown(amount: Decimal | number): string {
  // No minus before zero.
  return new Decimal(amount)
    .plus(0)
    .toFixed(2)
    .replace(/^-(0\.00)$/, '$1');
}
