import { addSeconds, Decimal } from '#libs/kernel/core';
import type { PersonalDataKeySource } from '#libs/kernel/event-store';
import {
  AccountBalances,
  compareTransactions,
  takesEffectBefore,
  isDateMoment,
  InMemoryLedger,
  latestInstantOfDate,
  type AccountBalance,
  type ReportMoment,
  type LedgerTransaction,
} from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { DocumentAndCustomerNames } from './document-and-customer-names.js';
import { plainTextAccountName, type LedgerExtract } from './formats/format.js';
import { futureTransactionsNotice, lastInstantOfBooks } from './moments.js';
import { AccountNames } from './account-names.js';
import { readWorkspaceEvents } from './workspace-log.js';

/** The workspace and the range of time to extract. */
export interface LedgerExtractOptions {
  workspace: string;
  from?: ReportMoment;
  to?: ReportMoment;
}

/**
 * Computes the books of a workspace from its events, for export to an accounting tool. `from` and `to` limit the books to a range of time.
 * The names of customers are included only if `keys` can decrypt personal data.
 */
export async function readLedgerExtract(
  { workspace, from, to }: LedgerExtractOptions,
  env: NodeJS.ProcessEnv,
  keys?: PersonalDataKeySource,
): Promise<LedgerExtract> {
  const journal = new InMemoryLedger(postingRules());
  const names = new AccountNames();
  const documents = new DocumentAndCustomerNames();
  const all: LedgerTransaction[] = [];
  const read = await readWorkspaceEvents(
    workspace,
    env,
    undefined,
    (event) => {
      names.observe(event);
      documents.observe(event);
      const transaction = journal.post(event);
      if (transaction) all.push(transaction);
    },
    keys,
  );
  const asked = to === undefined || isDateMoment(to) ? to : addSeconds(to, -0.001);
  const last = lastInstantOfBooks(read, asked);
  const isWanted = (transaction: LedgerTransaction): boolean =>
    transaction.at <= last && (to === undefined || takesEffectBefore(transaction, to));
  all.push(...journal.scheduledTransactionsUntil(last));
  const ahead = all.filter(
    (transaction) => transaction.at > read.latestWorkspaceInstant && isWanted(transaction),
  ).length;
  const [opening, closing] = [new AccountBalances(), new AccountBalances()];
  const transactions: LedgerTransaction[] = [];
  for (const transaction of all.filter(isWanted).sort(byDate)) {
    closing.addTransaction(transaction);
    if (from !== undefined && takesEffectBefore(transaction, from)) opening.addTransaction(transaction);
    else transactions.push(transaction);
  }
  return {
    workspace,
    from,
    to:
      to !== undefined && isDateMoment(to) && last === latestInstantOfDate(to) ? to : addSeconds(last, 0.001),
    openingBalances: opening
      .list()
      .filter(({ balance }) => !new Decimal(balance).isZero())
      .sort(byName(names)),
    transactions,
    ...(ahead === 0 ? {} : { futureNotice: futureTransactionsNotice(ahead, read) }),
    closingBalances: closing.list().sort(byName(names)),
    priceOrTaxRateName: (id) => names.priceOrTaxRateName(id),
    customerName: (customerId) => documents.customerName(customerId),
    documentNumberOf: (transaction) => documents.documentNumberOf(transaction),
  };
}

/**
 * Sorts transactions by booking date first, as a journal does. If invoices have different time zones, the order of booking dates can differ
 * from the order of instants.
 */
function byDate(a: LedgerTransaction, b: LedgerTransaction): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  return compareTransactions(a, b);
}

/** Sorts balances by the names of their accounts, and then by currency. */
function byName(names: AccountNames): (a: AccountBalance, b: AccountBalance) => number {
  const nameOf = (balance: AccountBalance) =>
    `${plainTextAccountName(balance, (id) => names.priceOrTaxRateName(id))} ${balance.currency}`;
  return (a, b) => (nameOf(a) < nameOf(b) ? -1 : 1);
}
