import { jsonNumber } from '#libs/kernel/core';
import { debitAndCreditOf, type AccountBalance, type LedgerTransaction } from '#libs/contexts/ledger';
import type { LedgerExportFormat } from './format.js';

/** Writes one JSON document with one transaction per line. Amounts are exact numbers. The fields have the names of the API. */
export const jsonFormat: LedgerExportFormat = function* ({
  workspace,
  from,
  to,
  opening,
  transactions,
  closing,
}) {
  const head = {
    workspace,
    from: from ?? null,
    to,
    opening: opening.map(balanceOf),
    closing: closing.map(balanceOf),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"transactions":[`;
  let separator = '\n';
  for (const transaction of transactions) {
    yield `${separator}${JSON.stringify(shownOf(transaction))}`;
    separator = ',\n';
  }
  yield '\n]}\n';
};

function shownOf({ workspaceId: _, postings, ...transaction }: LedgerTransaction) {
  return {
    ...transaction,
    postings: postings.map(({ amount, ...key }) => ({ ...key, ...columnsOf(amount, transaction.currency) })),
  };
}

function balanceOf({ balance, ...key }: AccountBalance) {
  return { ...key, ...columnsOf(balance, key.currency) };
}

function columnsOf(amount: string, currency: string): { debit: number; credit: number } {
  const { debit, credit } = debitAndCreditOf(amount, currency);
  return { debit: jsonNumber(debit), credit: jsonNumber(credit) };
}
