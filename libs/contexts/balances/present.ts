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
  /** The id of the invoice to which the change belongs; null if it belongs to none. */
  readonly invoiceId: string | null;
  /** The id of the credit note whose issue or void caused the change; null if no credit note caused it. */
  readonly creditNoteId: string | null;
  /** The id of the payment that used the balance for an invoice, or whose excess was added to the balance. */
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
