import { Decimal, moneyString } from '#libs/kernel/core';
import {
  CHART,
  type AccountBalance,
  type AccountKey,
  type BookMoment,
  type LedgerTransaction,
} from '#libs/contexts/ledger';

/** A stretch of a workspace's books, to be written as a file. */
export interface Extract {
  readonly workspace: string;
  /** The first moment that counts; undefined for the beginning. */
  readonly from: BookMoment | undefined;
  /** The first moment that does not count any more. */
  readonly to: BookMoment;
  /** What stood on the accounts before `from`; none if there is no `from`. */
  readonly opening: readonly AccountBalance[];
  /** In the order of their dates, and of the moments at which they took effect. */
  readonly transactions: readonly LedgerTransaction[];
  /** What is to be said of the transactions that are later than the last event, if there are any. */
  readonly ahead?: string;
  /** What stands on the accounts at the end. */
  readonly closing: readonly AccountBalance[];
  /** The price's name, for people. */
  priceName(priceId: string): string | undefined;
  /** The customer's name, for people; undefined if it is not known. */
  customerName(customerId: string): string | undefined;
  /** The number of the document that a transaction is about; undefined if there is none. */
  numberOf(transaction: LedgerTransaction): string | undefined;
}

/** Writes an extract as the lines of a file, piece by piece. */
export type Format = (extract: Extract) => Iterable<string>;

/** The currencies of an extract, in order. */
export function currenciesOf({ closing }: Extract): string[] {
  return [...new Set(closing.map(({ currency }) => currency))].sort();
}

/** The accounts of an extract, in the order of their names, each with its currencies. */
export function accountsOf({ closing }: Extract): { name: string; key: AccountKey; currencies: string[] }[] {
  return [...Map.groupBy(closing, accountName)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, balances]) => ({
      name,
      key: balances[0]!,
      currencies: balances.map(({ currency }) => currency).sort(),
    }));
}

const NAMES = {
  cash: 'Assets:Cash',
  accounts_receivable: 'Assets:AccountsReceivable',
  deferred_revenue: 'Liabilities:DeferredRevenue',
  customer_credit: 'Liabilities:CustomerCredit',
  prepaid_credits: 'Liabilities:PrepaidCredits',
  tax_payable: 'Liabilities:TaxPayable',
  revenue: 'Income:Revenue',
  refunds: 'Income:Refunds',
  bad_debt: 'Expenses:BadDebt',
  rounding: 'Expenses:Rounding',
} as const satisfies Record<AccountKey['account'], string>;

/**
 * The account's name in plain-text accounting. Its roots tell both hledger and Beancount the type; a part has letters, digits
 * and dashes and begins with a capital, as Beancount wants it: `Income:Revenue:Price-01J8XW`. What an account that is kept by price has of
 * none is a part too, for Beancount asserts a balance together with all that is below it.
 */
export function accountName({ account, priceId }: AccountKey): string {
  if (priceId === null) return CHART[account].byPrice ? `${NAMES[account]}:Other` : NAMES[account];
  const part = priceId.replace(/[^A-Za-z0-9-]/g, '-');
  return `${NAMES[account]}:${part.charAt(0).toUpperCase()}${part.slice(1)}`;
}

/** The first date of an extract, which its opening balances have. An instant is cut by its day in UTC. */
export function firstDate({ from, to, transactions: [first] }: Extract): string {
  const begin = from?.slice(0, 10);
  if (first === undefined) return begin ?? to.slice(0, 10);
  return begin !== undefined && begin < first.date ? begin : first.date;
}

/** The last date of an extract, which its closing balances have. */
export function lastDate(extract: Extract): string {
  return extract.transactions.at(-1)?.date ?? firstDate(extract);
}

/** What the extract is, in a line. */
export function titleOf({ workspace, from, to }: Extract): string {
  return `Ledger of workspace ${workspace}, ${from === undefined ? 'all' : `from ${from}`} before ${to}`;
}

/** What names the event of a transaction, for tags and metadata. */
export function tagsOf({
  event,
  at,
  customerId,
  invoiceId,
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
    ...(creditNoteId === null ? [] : [['creditnote', creditNoteId] as [string, string]]),
  ];
}

/** An amount with its currency, which both tools write behind it. */
export function amountOf(amount: string, currency: string): string {
  return `${moneyString(new Decimal(amount), currency)} ${currency}`;
}

/** Text as a part of a line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
