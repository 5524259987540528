import { addSeconds, Decimal, type Instant } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import {
  AccountBalances,
  addDays,
  InMemoryLedger,
  isDateMoment,
  latestInstantOfDate,
  takesEffectBefore,
  type AccountBalance,
  type LedgerTransaction,
  type ReportMoment,
} from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { AccountNames } from './account-names.js';
import { DocumentAndCustomerNames } from './document-and-customer-names.js';
import { plainTextAccountName, type LedgerBooks } from './formats/format.js';

/** The range of time of some books. */
export interface BooksRange {
  /** The first moment that the books include; undefined for their beginning. */
  readonly from: ReportMoment | undefined;
  /** The first moment that the books do not include; undefined for the moment after `last`. */
  readonly to: ReportMoment | undefined;
  /** The last instant that the books include. */
  readonly last: Instant;
}

/** Posts the events of a workspace, in the order of the log, and collects the names of accounts, documents and customers. */
export class BooksBuilder {
  readonly names = new AccountNames();
  readonly documents = new DocumentAndCustomerNames();
  private readonly journal = new InMemoryLedger(postingRules());

  /** Returns the transaction that takes effect with the event, if there is one. Throws LedgerStopped if the event cannot be posted. */
  post(event: RecordedEvent): LedgerTransaction | undefined {
    this.names.observe(event);
    this.documents.observe(event);
    return this.journal.post(event);
  }

  /** The transactions that take effect later than their events, at or before `last`. All events must have been posted. */
  scheduledTransactionsUntil(last: Instant): LedgerTransaction[] {
    return this.journal.scheduledTransactionsUntil(last);
  }
}

/** The place of a transaction in some books: outside of them, before them (in the opening balances), or listed. */
export type PlaceInBooks = 'outside' | 'opening' | 'listed';

/** Sums up the transactions of some books, in any order. */
export class BooksSums {
  private readonly opening = new AccountBalances();
  private readonly closing = new AccountBalances();
  private firstDate: string | undefined;
  private lastDate: string | undefined;

  constructor(private readonly range: BooksRange) {}

  add(transaction: LedgerTransaction): PlaceInBooks {
    const { from, to, last } = this.range;
    if (transaction.at > last || (to !== undefined && !takesEffectBefore(transaction, to))) return 'outside';
    this.closing.addTransaction(transaction);
    if (from !== undefined && takesEffectBefore(transaction, from)) {
      this.opening.addTransaction(transaction);
      return 'opening';
    }
    const { date } = transaction;
    if (this.firstDate === undefined || date < this.firstDate) this.firstDate = date;
    if (this.lastDate === undefined || date > this.lastDate) this.lastDate = date;
    return 'listed';
  }

  /** The books without their transactions, when all transactions have been added. */
  booksOf(workspace: string, { names, documents }: BooksBuilder): LedgerBooks {
    const { from, to, last } = this.range;
    return {
      workspace,
      from,
      to:
        to !== undefined && isDateMoment(to) && last === latestInstantOfDate(to)
          ? to
          : addSeconds(last, 0.001),
      firstTransactionDate: this.firstDate,
      lastTransactionDate: this.lastDate,
      openingBalances: this.opening
        .list()
        .filter(({ balance }) => !new Decimal(balance).isZero())
        .sort(byName(names)),
      closingBalances: this.closing.list().sort(byName(names)),
      priceOrTaxRateName: (id) => names.priceOrTaxRateName(id),
      customerName: (customerId) => documents.customerName(customerId),
      documentNumberOf: (transaction) => documents.documentNumberOf(transaction),
    };
  }
}

/** The last instant of books that are asked for until a moment, at `now`: never later than `now`. */
export function lastInstantOfRange(until: ReportMoment | null, now: Instant): Instant {
  if (until === null) return now;
  const asked = isDateMoment(until) ? latestInstantOfDate(addDays(until, 1)) : until;
  return asked > now ? now : asked;
}

/** Sorts balances by the names of their accounts, and then by currency. */
function byName(names: AccountNames): (a: AccountBalance, b: AccountBalance) => number {
  const nameOf = (balance: AccountBalance) =>
    `${plainTextAccountName(balance, (id) => names.priceOrTaxRateName(id))} ${balance.currency}`;
  return (a, b) => (nameOf(a) < nameOf(b) ? -1 : 1);
}
