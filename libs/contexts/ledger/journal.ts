import type { Instant } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import { post, type PostingTable, type StreamBook } from './post.js';
import { inOrder, type LedgerTransaction } from './transaction.js';

/**
 * The ledger in memory, made of events in the log's order. A posting that takes effect after its event is certain only when the last event
 * has been read, since any event may still cancel it.
 */
export class Journal {
  private readonly books = new Map<string, StreamBook>();
  private readonly ahead = new Map<string, LedgerTransaction>();

  /** @param rules those of all contexts */
  constructor(private readonly rules: PostingTable) {}

  /** Posts an event; answers the transaction that takes effect with it, if there is one. Throws LedgerStopped. */
  add(event: RecordedEvent): LedgerTransaction | undefined {
    const { book, transactions, calledOff } = post(this.rules, event, this.books.get(event.stream));
    if (book) this.books.set(event.stream, book);
    else this.books.delete(event.stream);
    for (const { id } of calledOff) this.ahead.delete(id);
    const later = transactions.filter(({ at }) => at > event.metadata.occurredAt);
    for (const transaction of later) this.ahead.set(transaction.id, transaction);
    return transactions.find(({ at }) => at === event.metadata.occurredAt);
  }

  /** Of what takes effect later than its event, that which has by then; in the order in which it does. */
  due(until: Instant): LedgerTransaction[] {
    return [...this.ahead.values()].filter(({ at }) => at <= until).sort(inOrder);
  }
}
