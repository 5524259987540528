import { addSeconds, Decimal, type Instant } from '#libs/core';
import { Balances, inOrder, Journal, type AccountBalance, type LedgerTransaction } from '#libs/ledger';
import { accountName, type Extract } from './formats/format.js';
import { aheadText, lastMoment } from './moments.js';
import { PriceNames } from './price-names.js';
import { readWorkspace } from './workspace-log.js';

/** Which part of whose books is wanted. */
export interface ExtractOptions {
  workspace: string;
  from?: Instant;
  to?: Instant;
}

/** Makes the books out of the event store, or those of a stretch of time, for an accounting tool. */
export async function readExtract(
  { workspace, from, to }: ExtractOptions,
  env: NodeJS.ProcessEnv,
): Promise<Extract> {
  const journal = new Journal();
  const names = new PriceNames();
  const all: LedgerTransaction[] = [];
  const read = await readWorkspace(workspace, env, undefined, (event) => {
    names.note(event);
    const transaction = journal.add(event);
    if (transaction) all.push(transaction);
  });
  const last = lastMoment(read, to === undefined ? undefined : addSeconds(to, -0.001));
  all.push(...journal.due(last));
  const ahead = all.filter(({ at }) => at > read.latest && at <= last).length;
  const [opening, closing] = [new Balances(), new Balances()];
  const transactions: LedgerTransaction[] = [];
  for (const transaction of all.sort(inOrder)) {
    if (transaction.at > last) continue;
    closing.add(transaction);
    if (from !== undefined && transaction.at < from) opening.add(transaction);
    else transactions.push(transaction);
  }
  return {
    workspace,
    from,
    to: addSeconds(last, 0.001),
    opening: opening
      .list()
      .filter(({ balance }) => !new Decimal(balance).isZero())
      .sort(byName),
    transactions,
    ...(ahead === 0 ? {} : { ahead: aheadText(ahead, read) }),
    closing: closing.list().sort(byName),
    priceName: (priceId) => names.nameOf(priceId),
  };
}

function byName(a: AccountBalance, b: AccountBalance): number {
  const [first, second] = [a, b].map((one) => `${accountName(one)} ${one.currency}`) as [string, string];
  return first < second ? -1 : 1;
}
