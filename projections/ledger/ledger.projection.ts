import { Decimal, decimalString } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import {
  accountKeyText,
  postEvent,
  NO_POSTINGS,
  type LedgerTransaction,
  type StreamPostingState,
} from '#libs/contexts/ledger';
import type { Projection, ProjectionContext } from '#libs/kernel/projection';
import { postingRules } from '#libs/manifest';
import { LedgerDailySumRow } from './ledger-daily-sum-row.js';
import { StreamPostingStateRow } from './stream-posting-state-row.js';
import { LedgerPostingRow } from './ledger-posting-row.js';

const rules = postingRules();
const postedTypes = [...rules].filter(([, rule]) => rule !== NO_POSTINGS).map(([type]) => type);

/**
 * The general ledger with double-entry postings. The posting rules of the contexts compute the postings from events. The projector stops at
 * an event that cannot be posted, for example because its postings do not sum to zero. All read models of all workspaces then stand still.
 * A posting that takes effect later than its event is stored immediately, with its later time. A posting that has not taken effect yet is
 * deleted if a later event cancels it.
 */
export const ledgerProjection: Projection = {
  name: 'ledger',
  version: 6,
  entities: [LedgerPostingRow, LedgerDailySumRow, StreamPostingStateRow],
  eventTypes: new Set(postedTypes),
  async apply(events, context) {
    const books = await loadBooks(events, context);
    const changes = new Changes();
    for (const event of events) {
      const {
        nextState: book,
        transactions,
        canceledTransactions,
      } = postEvent(rules, event, books.get(event.stream));
      books.set(event.stream, book);
      for (const transaction of canceledTransactions) changes.remove(transaction);
      for (const transaction of transactions) changes.add(transaction);
    }
    await saveBooks(books, context);
    await changes.save(context);
  },
};

type Books = Map<string, StreamPostingState | undefined>;

async function loadBooks(events: RecordedEvent[], context: ProjectionContext): Promise<Books> {
  // A stream whose first event is in this batch cannot have a book yet.
  const begun = new Set(events.filter(({ revision }) => revision === 0n).map(({ stream }) => stream));
  const streams = new Set(events.map(({ stream }) => stream).filter((stream) => !begun.has(stream)));
  const rows = await context.table(StreamPostingStateRow).rowsByKey([...streams]);
  return new Map([...rows].map(([stream, { book }]) => [stream, book]));
}

async function saveBooks(books: Books, context: ProjectionContext): Promise<void> {
  const table = context.table(StreamPostingStateRow);
  await table.upsert([...books].flatMap(([stream, book]) => (book === undefined ? [] : [{ stream, book }])));
  await table.remove([...books].flatMap(([stream, book]) => (book === undefined ? [stream] : [])));
}

/** The changes that a batch of events makes to postings and to daily sums. */
class Changes {
  private readonly added = new Map<string, LedgerPostingRow>();
  private readonly removed = new Set<string>();
  private readonly sums = new Map<string, { row: LedgerDailySumRow; sum: Decimal }>();

  add(transaction: LedgerTransaction): void {
    for (const row of postingRows(transaction)) {
      this.added.set(row.id, row);
      this.count(row, new Decimal(row.amount));
    }
  }

  remove(transaction: LedgerTransaction): void {
    for (const row of postingRows(transaction)) {
      if (!this.added.delete(row.id)) this.removed.add(row.id);
      this.count(row, new Decimal(row.amount).negated());
    }
  }

  async save(context: ProjectionContext): Promise<void> {
    const postings = context.table(LedgerPostingRow);
    await postings.remove([...this.removed]);
    await postings.upsert([...this.added.values()]);
    const balances = context.table(LedgerDailySumRow);
    const before = await balances.rowsByKey([...this.sums.keys()]);
    await balances.upsert(
      [...this.sums.values()].map(({ row, sum }) => ({
        ...row,
        amount: decimalString(sum.plus(before.get(row.id)?.amount ?? 0)),
      })),
    );
  }

  private count({ workspaceId, date, currency, account, detail }: LedgerPostingRow, amount: Decimal): void {
    const id = [workspaceId, date, currency, accountKeyText({ account, detail })].join(' ');
    const known = this.sums.get(id);
    if (known) known.sum = known.sum.plus(amount);
    else
      this.sums.set(id, {
        row: { id, workspaceId, date, currency, account, detail, amount: '0' },
        sum: amount,
      });
  }
}

/** Returns the rows of a ledger transaction, one row for each posting. */
export function postingRows({ id, event, postings, ...transaction }: LedgerTransaction): LedgerPostingRow[] {
  const { workspaceId, at, date, description, currency, customerId, invoiceId, invoiceNumber, creditNoteId } =
    transaction;
  return postings.map((posting, line) => ({
    id: `${id}/${line}`,
    transactionId: id,
    line,
    workspaceId,
    at,
    date,
    eventId: event.id,
    eventType: event.type,
    stream: event.stream,
    position: event.position,
    occurredAt: event.occurredAt,
    description,
    customerId,
    invoiceId,
    invoiceNumber,
    creditNoteId,
    ...posting,
    currency,
  }));
}
