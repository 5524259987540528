import { addSeconds } from '#libs/kernel/core';
import type { PersonalDataKeySource } from '#libs/kernel/event-store';
import {
  compareTransactions,
  isDateMoment,
  type LedgerTransaction,
  type ReportMoment,
} from '#libs/contexts/ledger';
import { BooksBuilder, BooksSums, type LedgerExtract } from '#libs/outputs/books';
import { futureTransactionsNotice, lastInstantOfBooks } from './moments.js';
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
  const builder = new BooksBuilder();
  const all: LedgerTransaction[] = [];
  const read = await readWorkspaceEvents(
    workspace,
    env,
    undefined,
    (event) => {
      const transaction = builder.post(event);
      if (transaction) all.push(transaction);
    },
    keys,
  );
  const asked = to === undefined || isDateMoment(to) ? to : addSeconds(to, -0.001);
  const last = lastInstantOfBooks(read, asked);
  const sums = new BooksSums({ from, to, last });
  const transactions: LedgerTransaction[] = [];
  let ahead = 0;
  for (const transaction of [...all, ...builder.scheduledTransactionsUntil(last)].sort(byDate)) {
    const place = sums.add(transaction);
    if (place === 'listed') transactions.push(transaction);
    if (place !== 'outside' && transaction.at > read.latestWorkspaceInstant) ahead += 1;
  }
  return {
    ...sums.booksOf(workspace, builder),
    transactions,
    ...(ahead === 0 ? {} : { futureNotice: futureTransactionsNotice(ahead, read) }),
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
