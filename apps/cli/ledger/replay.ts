import type { Instant } from '#libs/kernel/core';
import {
  AccountBalances,
  isDateMoment,
  takesEffectBy,
  InMemoryLedger,
  latestInstantOfDate,
  trialBalances,
  type ReportMoment,
  type LedgerTransaction,
  type TrialBalance,
} from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { AccountNames } from '#libs/outputs/books';
import { amountText, countText } from './amounts.js';
import { LedgerCustomerFilter } from './customer-filter.js';
import { futureTransactionsNotice, lastInstantOfBooks, type UntilOption } from './moments.js';
import { replayedWalletsText, createWalletReplay } from './replayed-wallets.js';
import { readWorkspaceEvents, type WorkspaceLogSummary } from './workspace-log.js';

/** The options of `countinghouse ledger replay`. */
export interface LedgerReplayOptions {
  workspace: string;
  until?: UntilOption;
  customer?: string;
}

/** Computes the books from the event store up to a moment. Returns the balances of accounts and wallets at that moment as text. */
export async function replayLedger(
  { workspace, until, customer }: LedgerReplayOptions,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const position = until && 'position' in until ? until.position : undefined;
  const moment = until && 'moment' in until ? until.moment : undefined;
  const journal = new InMemoryLedger(postingRules());
  const names = new AccountNames();
  const balances = new AccountBalances();
  const asked = new LedgerCustomerFilter(customer);
  const wallets = createWalletReplay({ workspace, customer, moment });
  let posted = 0;
  const isWanted = (transaction: LedgerTransaction): boolean =>
    moment === undefined || takesEffectBy(transaction, moment);
  const add = (transaction: LedgerTransaction): void => {
    if (!asked.matches(transaction)) return;
    posted += 1;
    balances.addTransaction(transaction);
  };
  let ahead = 0;
  const read = await readWorkspaceEvents(workspace, env, position, (event) => {
    names.observe(event);
    asked.rememberIfCreated(event);
    wallets.applyEvent(event);
    const transaction = journal.post(event);
    if (transaction && isWanted(transaction)) add(transaction);
  });
  asked.requireCustomerExists(workspace, read.position);
  // If `until` is a position, the time of the last event up to that position is treated as the workspace's time.
  const at = position === undefined ? lastInstantOfBooks(read, moment) : read.latestWorkspaceInstant;
  for (const transaction of journal.scheduledTransactionsUntil(at).filter(isWanted)) {
    add(transaction);
    if (transaction.at > read.latestWorkspaceInstant) ahead += 1;
  }
  const tables = trialBalances(balances.list()).map((one) => `\n${tableOf(one, names)}`);
  return [
    `${customer === undefined ? '' : `Customer ${customer} of workspace `}${workspace} at ${momentText(at, moment)}`,
    readText(read, posted),
    ...(ahead === 0 ? [] : [futureTransactionsNotice(ahead, read)]),
    ...(tables.length === 0 ? ['\nNothing had been posted by then.'] : tables),
    ...(await replayedWalletsText(wallets, { workspace, position, moment }, read, env)),
    '',
  ].join('\n');
}

/** Describes the moment of the balances: the end of the wanted date, or the exact instant if the date has not ended yet. */
function momentText(at: Instant, asked: ReportMoment | undefined): string {
  return asked !== undefined && isDateMoment(asked) && at === latestInstantOfDate(asked)
    ? `the end of ${asked}`
    : at;
}

function readText(
  { eventCount: events, workspaceEventCount: ofWorkspace, position }: WorkspaceLogSummary,
  posted: number,
): string {
  return (
    `${countText(events)} events read, to position ${position}; ${countText(ofWorkspace)} of the workspace; ` +
    `${countText(posted)} transactions`
  );
}

function tableOf({ currency, accounts, debit, credit }: TrialBalance, names: AccountNames): string {
  const column = (amount: string): string => (Number(amount) === 0 ? '' : amountText(amount, currency));
  const rows = [
    [currency, 'debit', 'credit'],
    ...accounts.map((line) => [names.accountName(line), column(line.debit), column(line.credit)]),
    ['', amountText(debit, currency), amountText(credit, currency)],
  ] as [string, string, string][];
  const [first, second, third] = [0, 1, 2].map((index) => Math.max(...rows.map((row) => row[index]!.length)));
  const lines = rows.map(
    ([name, left, right]) => `${name.padEnd(first!)}  ${left.padStart(second!)}  ${right.padStart(third!)}`,
  );
  const rule = `${' '.repeat(first!)}  ${'─'.repeat(second!)}  ${'─'.repeat(third!)}`;
  return [...lines.slice(0, -1), rule, lines.at(-1)!].map((line) => line.trimEnd()).join('\n');
}
