import { Decimal, jsonNumber, type DecimalString, type Instant } from '#libs/kernel/core';
import type { Balance } from './balance.js';

/** One change of a balance. `amount` is above zero if the change adds to the balance, and below zero if it reduces the balance. */
export interface BalanceTransaction {
  readonly id: string;
  readonly type: 'credited' | 'applied' | 'returned' | 'debited' | 'adjusted';
  readonly currency: string;
  readonly amount: DecimalString;
  /** The balance after the change. */
  readonly balance: DecimalString;
  /**
   * The id of the invoice that used the balance, returned an amount to it or gave back the credited amount. If the excess of a payment was
   * removed, the id of the invoice of that payment. If the amount went back at the payment processor too, the id of the invoice. Null if a user changed the balance, and for a change by a credit note. Null also for
   * the excess that a payment added.
   */
  readonly invoiceId: string | null;
  /** The id of the credit note whose issue or void caused the change; null if no credit note caused it. */
  readonly creditNoteId: string | null;
  /**
   * The id of the payment that used the balance for an open invoice or returned its amount, or whose excess was added to the balance or
   * removed again. Null for any other change. Null also if an invoice used the balance when it was opened.
   */
  readonly paymentId: string | null;
  readonly createdAt: Instant;
}

/** Converts a balance to its form in the API. */
export function presentBalance({ currency, balance }: Balance) {
  return { currency, balance: jsonNumber(balance) };
}

/** Converts a change of a balance to its form in the API. */
export function presentBalanceTransaction(transaction: BalanceTransaction) {
  const { id, type, currency, amount, balance, invoiceId, creditNoteId, paymentId, createdAt } = transaction;
  return {
    id,
    type,
    currency,
    amount: jsonNumber(new Decimal(amount).toFixed()),
    balance: jsonNumber(new Decimal(balance).toFixed()),
    invoiceId,
    creditNoteId,
    paymentId,
    createdAt,
  };
}
