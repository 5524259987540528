import { jsonNumber } from '#libs/kernel/core';
import { debitAndCreditOf, type AccountBalance, type LedgerTransaction } from '#libs/contexts/ledger';
import { apiAccountFields, type LedgerExportFormat, type LedgerExtract } from './format.js';

/** Writes one JSON document with one transaction per line. Amounts are exact numbers. The fields have the names of the API. */
export const jsonFormat: LedgerExportFormat = function* (extract) {
  const { workspace, from, to, openingBalances, transactions, closingBalances } = extract;
  const head = {
    workspace,
    from: from ?? null,
    to,
    opening: openingBalances.map((one) => balanceOf(one, extract)),
    closing: closingBalances.map((one) => balanceOf(one, extract)),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"transactions":[`;
  let separator = '\n';
  for (const transaction of transactions) {
    yield `${separator}${JSON.stringify(shownOf(transaction, extract))}`;
    separator = ',\n';
  }
  yield '\n]}\n';
};

function shownOf({ workspaceId: _, postings, ...transaction }: LedgerTransaction, extract: LedgerExtract) {
  return {
    ...transaction,
    postings: postings.map(({ amount, ...key }) => ({
      ...apiAccountFields(key, extract),
      ...columnsOf(amount, transaction.currency),
    })),
  };
}

function balanceOf({ balance, currency, ...key }: AccountBalance, extract: LedgerExtract) {
  return { ...apiAccountFields(key, extract), currency, ...columnsOf(balance, currency) };
}

function columnsOf(amount: string, currency: string): { debit: number; credit: number } {
  const { debit, credit } = debitAndCreditOf(amount, currency);
  return { debit: jsonNumber(debit), credit: jsonNumber(credit) };
}
