import { jsonNumber, type Instant } from '#libs/kernel/core';
import {
  debitAndCreditOf,
  trialBalances,
  type DebitAndCredit,
  type TrialBalance,
} from '#libs/contexts/ledger';
import type { LedgerPostingRow } from './ledger-posting-row.js';
import type { LedgerBalances } from './ledger-queries.js';

/** Returns the trial balance of an instant in the form of the API. */
export function presentTrialBalance(at: Instant, { balances, position }: LedgerBalances) {
  return { at, position: position ?? null, currencies: trialBalances(balances).map(presentCurrency) };
}

function presentCurrency({ currency, accounts, ...total }: TrialBalance) {
  return {
    currency,
    accounts: accounts.map((line) => ({ ...line, ...presentSides(line) })),
    ...presentSides(total),
  };
}

function presentSides({ debit, credit }: DebitAndCredit) {
  return { debit: jsonNumber(debit), credit: jsonNumber(credit) };
}

/** Returns a ledger entry in the form of the API, with its amount in the field for debits or for credits. */
export function presentLedgerEntry(row: LedgerPostingRow) {
  return {
    id: row.id,
    transactionId: row.transactionId,
    at: row.at,
    date: row.date,
    account: row.account,
    priceId: row.priceId,
    currency: row.currency,
    ...presentSides(debitAndCreditOf(row.amount, row.currency)),
    description: row.description,
    customerId: row.customerId,
    invoiceId: row.invoiceId,
    creditNoteId: row.creditNoteId,
    event: {
      id: row.eventId,
      type: row.eventType,
      stream: row.stream,
      position: row.position,
      occurredAt: row.occurredAt,
    },
  };
}
