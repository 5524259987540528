import type { Instant } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import { postEvent, type AllPostingRules, type StreamPostingState } from './post-event.js';
import { compareTransactions, type LedgerTransaction } from './transaction.js';

/**
 * The ledger in memory, computed from events in the order of the log. A posting that takes effect after its event is not final until all
 * events are read, because a later event can cancel it.
 */
export class InMemoryLedger {
  private readonly books = new Map<string, StreamPostingState>();
  private readonly ahead = new Map<string, LedgerTransaction>();

  /** @param rules the posting rules of all contexts */
  constructor(private readonly rules: AllPostingRules) {}

  /**
   * Posts an event. Returns the transaction that takes effect at the event's time or earlier. Undefined if the event has no such
   * transaction. Throws LedgerStopped if the event cannot be posted.
   */
  post(event: RecordedEvent): LedgerTransaction | undefined {
    const {
      nextState: book,
      transactions,
      canceledTransactions,
    } = postEvent(this.rules, event, this.books.get(event.stream));
    if (book) this.books.set(event.stream, book);
    else this.books.delete(event.stream);
    for (const { id } of canceledTransactions) this.ahead.delete(id);
    const later = transactions.filter(({ at }) => at > event.metadata.occurredAt);
    for (const transaction of later) this.ahead.set(transaction.id, transaction);
    return transactions.find(({ at }) => at <= event.metadata.occurredAt);
  }

  /** The scheduled transactions that take effect at or before `until`, ordered by time. */
  scheduledTransactionsUntil(until: Instant): LedgerTransaction[] {
    return [...this.ahead.values()].filter(({ at }) => at <= until).sort(compareTransactions);
  }
}
