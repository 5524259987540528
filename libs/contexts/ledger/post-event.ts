import { dayIn, earlierOf } from '#libs/kernel/core';
import type { DomainEvent, RecordedEvent } from '#libs/kernel/domain';
import { LedgerStopped, describeEvent, requireBalanced } from './balance-check.js';
import {
  NO_POSTINGS,
  type Booking,
  type PostingContext,
  type MoneyEventData,
  type PostingOutcome,
  type PostingRule,
} from './posting-rule.js';
import { eventReferenceOf, type LedgerTransaction, type Posting } from './transaction.js';

/** The ledger stores this state for each event stream, and needs it to post the stream's next event. The posting state is plain JSON. */
export interface StreamPostingState {
  /** The state that the posting rules keep for later events of this stream. Null if the posting rules keep no state. */
  readonly book: object | null;
  /** The scheduled transactions that take effect after the stream's last event. */
  readonly scheduled: readonly LedgerTransaction[];
}

/** Maps an event type to its posting rule. The ledger posts nothing for an event type without an entry. */
export type AllPostingRules = ReadonlyMap<string, PostingRule | typeof NO_POSTINGS>;

/** The changes that an event causes in the ledger. */
export interface PostingResult {
  /** The state for the next event of the stream. Undefined if no state is needed. */
  readonly nextState: StreamPostingState | undefined;
  /**
   * The new transactions: first the transaction at or before the event's time, then the scheduled transactions. A transaction without
   * postings is left out.
   */
  readonly transactions: readonly LedgerTransaction[];
  /** The scheduled transactions that the event cancels. */
  readonly canceledTransactions: readonly LedgerTransaction[];
}

/**
 * Posts an event by the rule of its type. The function is pure: the same events in the same order always give the same ledger.
 *
 * @param rules the posting rules of all contexts
 * @param known the state after the stream's previous event; undefined if there is none
 * @throws LedgerStopped if the rule fails for the event, or if a booking fails the checks of `requireBalanced`
 */
export function postEvent(
  rules: AllPostingRules,
  event: RecordedEvent,
  known: StreamPostingState | undefined,
): PostingResult {
  const rule = rules.get(event.type);
  if (rule === undefined || rule === NO_POSTINGS)
    return { nextState: known, transactions: [], canceledTransactions: [] };
  const scheduled = (known?.scheduled ?? []).filter(({ at }) => at > event.metadata.occurredAt);
  const outcome = applyRule(rule, event, { book: known?.book ?? undefined, scheduled });
  const { occurredAt } = event.metadata;
  // An accrual that is stored ahead of its month's end must not stop the ledger. It was made in the last hours of its month.
  const nowAt = earlierOf(outcome.now?.at ?? occurredAt, occurredAt);
  const now = outcome.now === undefined ? [] : [transactionOf(event, outcome.now, nowAt, 0)];
  const later = (outcome.schedules ?? []).map((booking, index) =>
    transactionOf(event, booking, booking.at, index + 1),
  );
  for (const transaction of [...now, ...later]) requireBalanced(transaction);
  const ahead = [...(outcome.cancelsScheduled ? [] : scheduled), ...later];
  return {
    nextState:
      outcome.book === undefined && ahead.length === 0
        ? undefined
        : { book: outcome.book ?? null, scheduled: ahead },
    transactions: [...now, ...later].filter(({ postings }) => postings.length > 0),
    canceledTransactions: outcome.cancelsScheduled ? scheduled : [],
  };
}

function applyRule(
  rule: PostingRule,
  event: RecordedEvent,
  found: PostingContext<object>,
): PostingOutcome<object> {
  try {
    return rule(event as RecordedEvent<DomainEvent<string, MoneyEventData>>, found);
  } catch (error) {
    const problem = (error as Error).message;
    throw new LedgerStopped(`${describeEvent(eventReferenceOf(event))} cannot be posted: ${problem}`, {
      cause: error,
    });
  }
}

function transactionOf(
  event: RecordedEvent,
  { description, postings, timezone, currency: own, invoiceNumber }: Booking,
  at: string,
  index: number,
): LedgerTransaction {
  const { customerId, currency: ofEvent, invoiceId, creditNoteId } = event.data as MoneyEventData;
  const currency = own ?? ofEvent;
  if (currency === undefined) throw new Error(`The booking of ${event.type} ${event.id} has no currency`);
  return {
    id: index === 0 ? event.id : `${event.id}.${index}`,
    workspaceId: event.metadata.workspaceId,
    event: eventReferenceOf(event),
    at,
    date: dayIn(timezone, at),
    description,
    currency,
    customerId,
    invoiceId: invoiceId ?? null,
    invoiceNumber: invoiceNumber ?? null,
    // Scheduled transactions belong to the whole invoice, not to one credit note.
    creditNoteId: index === 0 ? (creditNoteId ?? null) : null,
    postings: postings.filter(isNotZero),
  };
}

/** Searches the text for a digit above zero instead of parsing a number, because this check runs for every posting of every event. */
function isNotZero({ amount }: Posting): boolean {
  return /[1-9]/.test(amount);
}
