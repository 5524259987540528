import { jsonNumber } from '#libs/kernel/core';
import { debitAndCreditOf, type AccountBalance, type LedgerTransaction } from '#libs/contexts/ledger';
import { apiAccountFields, type LedgerFileFormat, type LedgerBooks } from './format.js';

/** Writes one JSON document with one transaction per line. Amounts are exact numbers. The fields have the names of the API. */
export const jsonFormat: LedgerFileFormat = {
  head: (books) => [headOf(books)],
  transaction: (transaction, books, index) =>
    `${index === 0 ? '' : ','}\n${JSON.stringify(shownOf(transaction, books))}`,
  tail: () => ['\n]}\n'],
};

function headOf(extract: LedgerBooks): string {
  const { workspace, from, to, openingBalances, closingBalances } = extract;
  const head = {
    workspace,
    from: from ?? null,
    to,
    opening: openingBalances.map((one) => balanceOf(one, extract)),
    closing: closingBalances.map((one) => balanceOf(one, extract)),
  };
  return `${JSON.stringify(head).slice(0, -1)},"transactions":[`;
}

function shownOf({ workspaceId: _, postings, ...transaction }: LedgerTransaction, extract: LedgerBooks) {
  return {
    ...transaction,
    postings: postings.map(({ amount, ...key }) => ({
      ...apiAccountFields(key, extract),
      ...columnsOf(amount, transaction.currency),
    })),
  };
}

function balanceOf({ balance, currency, ...key }: AccountBalance, extract: LedgerBooks) {
  return { ...apiAccountFields(key, extract), currency, ...columnsOf(balance, currency) };
}

function columnsOf(amount: string, currency: string): { debit: number; credit: number } {
  const { debit, credit } = debitAndCreditOf(amount, currency);
  return { debit: jsonNumber(debit), credit: jsonNumber(credit) };
}
