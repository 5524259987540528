import { Decimal, moneyString } from '#libs/kernel/core';
import {
  CHART_OF_ACCOUNTS,
  detailFieldsOf,
  type AccountBalance,
  type AccountKey,
  type ReportMoment,
  type LedgerTransaction,
} from '#libs/contexts/ledger';

/** A workspace's books in a range of time without their transactions, ready to be written to a file. */
export interface LedgerBooks {
  readonly workspace: string;
  /** The first moment that the extract includes; undefined for the beginning of the books. */
  readonly from: ReportMoment | undefined;
  /** The first moment that the extract no longer includes. */
  readonly to: ReportMoment;
  /** The account balances before `from`; empty if there is no `from`. */
  readonly openingBalances: readonly AccountBalance[];
  /** The earliest date of a transaction; undefined if there is none. */
  readonly firstTransactionDate: string | undefined;
  /** The latest date of a transaction; undefined if there is none. */
  readonly lastTransactionDate: string | undefined;
  /** The account balances at the end of the extract. */
  readonly closingBalances: readonly AccountBalance[];
  /** Returns the name of a price or a tax rate; undefined if the name is not known. */
  priceOrTaxRateName(id: string): string | undefined;
  /** Returns the customer's name; undefined if the name is not known. */
  customerName(customerId: string): string | undefined;
  /** Returns the number of the transaction's invoice or credit note; undefined if there is no number. */
  documentNumberOf(transaction: LedgerTransaction): string | undefined;
}

/** A workspace's books in a range of time with their transactions. */
export interface LedgerExtract extends Omit<LedgerBooks, 'firstTransactionDate' | 'lastTransactionDate'> {
  /** The transactions, sorted by booking date and then by the instant at which they took effect. */
  readonly transactions: readonly LedgerTransaction[];
  /** A notice about transactions that are later than the last event, if there are any. */
  readonly futureNotice?: string;
}

/** Writes books as the text of a file. The file is the head, then each transaction by its date, then the tail. */
export interface LedgerFileFormat {
  head(books: LedgerBooks): Iterable<string>;
  /** @param index the number of the transaction in the file, from 0 */
  transaction(transaction: LedgerTransaction, books: LedgerBooks, index: number): string;
  tail(books: LedgerBooks): Iterable<string>;
}

/** Yields the file of an extract in pieces. */
export function* ledgerFileOf(format: LedgerFileFormat, extract: LedgerExtract): Generator<string> {
  const { transactions } = extract;
  const [firstTransactionDate, lastTransactionDate] = [transactions[0]?.date, transactions.at(-1)?.date];
  const books = { ...extract, firstTransactionDate, lastTransactionDate };
  yield* format.head(books);
  for (const [index, transaction] of transactions.entries())
    yield format.transaction(transaction, books, index);
  yield* format.tail(books);
}

/** Returns the currencies of an extract, in alphabetical order. */
export function currenciesOf({ closingBalances }: LedgerBooks): string[] {
  return [...new Set(closingBalances.map(({ currency }) => currency))].sort();
}

/** Returns the accounts of an extract, sorted by name, each with its currencies. */
export function accountsOf(extract: LedgerBooks): { name: string; key: AccountKey; currencies: string[] }[] {
  return [...Map.groupBy(extract.closingBalances, (key) => accountNameIn(extract, key))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, balances]) => ({
      name,
      key: balances[0]!,
      currencies: balances.map(({ currency }) => currency).sort(),
    }));
}

const PLAIN_TEXT_ACCOUNT_NAMES = {
  cash: 'Assets:Cash',
  accounts_receivable: 'Assets:AccountsReceivable',
  unbilled_receivables: 'Assets:UnbilledReceivables',
  deferred_revenue: 'Liabilities:DeferredRevenue',
  customer_credit: 'Liabilities:CustomerCredit',
  prepaid_credits: 'Liabilities:PrepaidCredits',
  tax_payable: 'Liabilities:TaxPayable',
  revenue: 'Income:Revenue',
  breakage: 'Income:Breakage',
  refunds: 'Income:Refunds',
  credit_adjustments: 'Income:CreditAdjustments',
  bad_debt: 'Expenses:BadDebt',
  rounding: 'Expenses:Rounding',
} as const satisfies Record<AccountKey['account'], string>;

/** The largest number of characters of a price's or tax rate's name in the name of an account. */
const MAX_NAME_CHARACTERS = 40;

/**
 * Returns the account's name for hledger and Beancount, such as `Income:Revenue:API-calls-price-01J8XW`. The first part of the name tells
 * hledger and Beancount the account's type. The last part has the name of the price or tax rate, as far as it can be written, and its id. In
 * Beancount, each part of an account name begins with a capital letter or a digit, and has only letters, digits and dashes. An account that
 * is divided by price or tax rate gets the part `Other` for postings with neither. Without this part, Beancount would add the balances of all
 * its subaccounts to the checked balance.
 *
 * @param nameOf returns the name of a price or a tax rate; undefined if the name is not known
 */
export function plainTextAccountName(
  { account, detail }: AccountKey,
  nameOf: (id: string) => string | undefined,
): string {
  if (detail === null)
    return CHART_OF_ACCOUNTS[account].dividedBy !== null
      ? `${PLAIN_TEXT_ACCOUNT_NAMES[account]}:Other`
      : PLAIN_TEXT_ACCOUNT_NAMES[account];
  const id = detail.replace(/[^A-Za-z0-9-]/g, '-');
  const name = partOfAccountName(nameOf(detail) ?? '');
  const part = name === '' ? id : `${name}-${id}`;
  return `${PLAIN_TEXT_ACCOUNT_NAMES[account]}:${part.charAt(0).toUpperCase()}${part.slice(1)}`;
}

/** Returns the ASCII letters and digits of a name, with dashes between them. The result is empty if the name has none. */
function partOfAccountName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, MAX_NAME_CHARACTERS)
    .replace(/^-+|-+$/g, '');
}

/** Returns the account's name with the names that the extract knows. */
export function accountNameIn(extract: Pick<LedgerBooks, 'priceOrTaxRateName'>, key: AccountKey): string {
  return plainTextAccountName(key, (id) => extract.priceOrTaxRateName(id));
}

/** Returns the account of a posting as fields with the names of the API. */
export function apiAccountFields(key: AccountKey, extract: LedgerBooks) {
  const { priceId, taxRateId } = detailFieldsOf(key);
  const nameOf = (id: string | null) => (id === null ? null : (extract.priceOrTaxRateName(id) ?? null));
  return {
    account: key.account,
    accountNumber: CHART_OF_ACCOUNTS[key.account].number,
    priceId,
    priceName: nameOf(priceId),
    taxRateId,
    taxRateName: nameOf(taxRateId),
  };
}

/** Returns the first date of an extract, which is the date of its opening balances. If `from` is an instant, its date in UTC is used. */
export function firstDate({ from, to, firstTransactionDate: first }: LedgerBooks): string {
  const begin = from?.slice(0, 10);
  if (first === undefined) return begin ?? to.slice(0, 10);
  return begin !== undefined && begin < first ? begin : first;
}

/** Returns the last date of an extract, which is the date of its closing balances. */
export function lastDate(extract: LedgerBooks): string {
  return extract.lastTransactionDate ?? firstDate(extract);
}

/** Returns a title for the extract, with the workspace and the range of time. */
export function titleOfExtract({ workspace, from, to }: LedgerBooks): string {
  return `Ledger of workspace ${workspace}, ${from === undefined ? 'all' : `from ${from}`} before ${to}`;
}

/** Returns the tags of a transaction, as pairs of name and value: its event, actor, customer and documents. */
export function transactionTags({
  event,
  at,
  customerId,
  invoiceId,
  invoiceNumber,
  creditNoteId,
}: LedgerTransaction): [string, string][] {
  return [
    ['event', event.id],
    ['type', event.type],
    ['stream', event.stream],
    ['position', event.position],
    ['occurred', event.occurredAt],
    ['effective', at],
    ['actor', `${event.actor.type} ${event.actor.id}`],
    ['customer', customerId],
    ...(invoiceId === null ? [] : [['invoice', invoiceId] as [string, string]]),
    ...(invoiceNumber === null ? [] : [['invoicenumber', invoiceNumber] as [string, string]]),
    ...(creditNoteId === null ? [] : [['creditnote', creditNoteId] as [string, string]]),
  ];
}

/** Formats an amount followed by its currency, as in hledger and Beancount. */
export function amountWithCurrency(amount: string, currency: string): string {
  return `${moneyString(new Decimal(amount), currency)} ${currency}`;
}

/** Replaces each run of white space and control characters by one space, so that the text has no line breaks. */
export function withoutLineBreaks(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
