import { toCsv } from '#libs/kernel/core';
import {
  CHART_OF_ACCOUNTS,
  debitAndCreditOf,
  type AccountKey,
  type LedgerTransaction,
} from '#libs/contexts/ledger';
import { apiAccountFields, firstDate, type LedgerBooks, type LedgerFileFormat } from './format.js';

/** The columns of the file. The columns that people read most come first. */
const COLUMNS = [
  'date',
  'documentNumber',
  'customerName',
  'accountName',
  'transactionId',
  'at',
  'eventId',
  'eventType',
  'stream',
  'position',
  'occurredAt',
  'actorType',
  'actorId',
  'description',
  'customerId',
  'invoiceId',
  'creditNoteId',
  'account',
  'priceId',
  'currency',
  'debit',
  'credit',
  'accountNumber',
  'invoiceNumber',
  'priceName',
  'taxRateId',
  'taxRateName',
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], string | null>>;

/** Writes one row for each posting. The opening balances come first, with the transaction id `opening`. */
export const csvFormat: LedgerFileFormat = {
  head: (books) => [linesOf(openingRows(books), true)],
  transaction: (transaction, books) => linesOf(rowsOf(transaction, books), false),
  tail: () => [],
};

function linesOf(rows: Row[], withHeader: boolean): string {
  const text = toCsv(
    COLUMNS,
    rows.map((row) => ({ ...EMPTY, ...row })),
  );
  return withHeader ? text : text.slice(HEADER.length);
}

const EMPTY = Object.fromEntries(COLUMNS.map((column) => [column, null])) as Record<
  (typeof COLUMNS)[number],
  null
>;
const HEADER = toCsv(COLUMNS, []);

function openingRows(extract: LedgerBooks): Row[] {
  const { from, openingBalances } = extract;
  return openingBalances.map(({ balance, currency, ...key }) => ({
    accountName: accountTitle(key, extract),
    transactionId: 'opening',
    at: from ?? null,
    date: firstDate(extract),
    description: 'Opening balances',
    ...apiAccountFields(key, extract),
    currency,
    ...debitAndCreditOf(balance, currency),
  }));
}

function rowsOf(whole: LedgerTransaction, extract: LedgerBooks): Row[] {
  const { id, at, date, event, postings, currency, ...transaction } = whole;
  const { description, customerId, invoiceId, invoiceNumber, creditNoteId } = transaction;
  return postings.map(({ amount, ...key }) => ({
    date,
    documentNumber: extract.documentNumberOf(whole) ?? null,
    customerName: extract.customerName(customerId) ?? null,
    accountName: accountTitle(key, extract),
    transactionId: id,
    at,
    eventId: event.id,
    eventType: event.type,
    stream: event.stream,
    position: event.position,
    occurredAt: event.occurredAt,
    actorType: event.actor.type,
    actorId: event.actor.id,
    description,
    customerId,
    invoiceId,
    invoiceNumber,
    creditNoteId,
    ...apiAccountFields(key, extract),
    currency,
    ...debitAndCreditOf(amount, currency),
  }));
}

/** Returns the account's display name. If the account is divided by price or tax rate, the name of the price or tax rate is appended. */
function accountTitle({ account, detail }: AccountKey, extract: LedgerBooks): string {
  const { name } = CHART_OF_ACCOUNTS[account];
  return detail === null ? name : `${name}: ${extract.priceOrTaxRateName(detail) ?? detail}`;
}
