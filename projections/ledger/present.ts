import { jsonNumber, type Instant } from '#libs/kernel/core';
import {
  CHART_OF_ACCOUNTS,
  debitAndCreditOf,
  detailFieldsOf,
  trialBalances,
  type AccountKey,
  type DebitAndCredit,
  type TrialBalance,
} from '#libs/contexts/ledger';
import type { LedgerPostingRow } from './ledger-posting-row.js';
import type { LedgerBalances } from './ledger-queries.js';

/** Returns the trial balance at an instant, or at the end of a date, in the form of the API. */
export function presentTrialBalance(
  at: Instant,
  { balances, position }: LedgerBalances,
  names: PriceAndTaxRateNames,
) {
  const currencies = trialBalances(balances).map((one) => presentCurrency(one, names));
  return { at, position: position ?? null, currencies };
}

/** The names of prices and tax rates, by id. */
export type PriceAndTaxRateNames = ReadonlyMap<string, string>;

/** Returns the account with its number, and with the price or tax rate by which it is divided. */
function presentAccount(key: AccountKey, names: PriceAndTaxRateNames) {
  const { priceId, taxRateId } = detailFieldsOf(key);
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return {
    account: key.account,
    number: CHART_OF_ACCOUNTS[key.account].number,
    priceId,
    priceName: nameOf(priceId),
    taxRateId,
    taxRateName: nameOf(taxRateId),
  };
}

function presentCurrency({ currency, accounts, ...total }: TrialBalance, names: PriceAndTaxRateNames) {
  return {
    currency,
    accounts: accounts.map(({ account, detail, name, type, ...sides }) => ({
      ...presentAccount({ account, detail }, names),
      name,
      type,
      ...presentSides(sides),
    })),
    ...presentSides(total),
  };
}

function presentSides({ debit, credit }: DebitAndCredit) {
  return { debit: jsonNumber(debit), credit: jsonNumber(credit) };
}

/** Returns a ledger entry in the form of the API, with its amount in the field for debits or for credits. */
export function presentLedgerEntry(row: LedgerPostingRow, names: PriceAndTaxRateNames) {
  return {
    id: row.id,
    transactionId: row.transactionId,
    at: row.at,
    date: row.date,
    ...presentAccount(row, names),
    currency: row.currency,
    ...presentSides(debitAndCreditOf(row.amount, row.currency)),
    description: row.description,
    customerId: row.customerId,
    invoiceId: row.invoiceId,
    invoiceNumber: row.invoiceNumber,
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
