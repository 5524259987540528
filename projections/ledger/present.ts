import { Decimal, jsonNumber, moneyString, type Instant } from '#libs/core';
import { trialBalances, type TrialBalance } from '#libs/ledger';
import type { LedgerPostingRow } from './ledger-posting-row.js';
import type { LedgerBalances } from './ledger-queries.js';

/** The trial balance of a moment as the API shows it. */
export function presentTrialBalance(at: Instant, { balances, position }: LedgerBalances) {
  return { at, position: position ?? null, currencies: trialBalances(balances).map(presentCurrency) };
}

function presentCurrency({ currency, accounts, debit, credit }: TrialBalance) {
  return {
    currency,
    accounts: accounts.map((line) => ({
      ...line,
      debit: jsonNumber(line.debit),
      credit: jsonNumber(line.credit),
    })),
    debit: jsonNumber(debit),
    credit: jsonNumber(credit),
  };
}

/** An entry of the ledger as the API shows it: its amount stands in the column of its side. */
export function presentLedgerEntry(row: LedgerPostingRow) {
  const amount = new Decimal(row.amount);
  const column = (value: Decimal): number => jsonNumber(moneyString(Decimal.max(value, 0), row.currency));
  return {
    id: row.id,
    transactionId: row.transactionId,
    at: row.at,
    account: row.account,
    priceId: row.priceId,
    currency: row.currency,
    debit: column(amount),
    credit: column(amount.negated()),
    description: row.description,
    customerId: row.customerId,
    invoiceId: row.invoiceId,
    event: {
      id: row.eventId,
      type: row.eventType,
      stream: row.stream,
      position: row.position,
      occurredAt: row.occurredAt,
    },
  };
}
