import { dayIn } from '#libs/kernel/core';
import type { DomainEvent, RecordedEvent } from '#libs/kernel/domain';
import { LedgerStopped, nameOf, requireBalance } from './balance-check.js';
import {
  WITHOUT_EFFECT,
  type Booking,
  type Found,
  type MoneyData,
  type Outcome,
  type PostingRule,
} from './posting-rule.js';
import { referenceTo, type LedgerTransaction, type Posting } from './transaction.js';

/** What has to be kept of a stream to post its next event. Plain JSON. */
export interface StreamBook {
  /** What the stream's rules have left for each other; null if they have left nothing. */
  readonly book: object | null;
  /** What was scheduled and had not taken effect by the time of the stream's last event. */
  readonly scheduled: readonly LedgerTransaction[];
}

/** From event types to how their events are posted. What is not in it changes no balance. */
export type PostingTable = ReadonlyMap<string, PostingRule | typeof WITHOUT_EFFECT>;

/** What an event changes in the ledger. */
export interface Posted {
  /** Kept for the stream's next event; undefined if nothing has to be. */
  readonly book: StreamBook | undefined;
  /** Added: those at the event's time first, then those that take effect later, in order. */
  readonly transactions: readonly LedgerTransaction[];
  /** Taken away again: they were to take effect later than the event. */
  readonly calledOff: readonly LedgerTransaction[];
}

/**
 * Posts an event by the rule of its type. Pure: the same events in the same order give the same ledger.
 *
 * @param rules those of all contexts
 * @param known what the stream's event before led to, if any did
 * @throws LedgerStopped if the event does not go with those before it, or the sum of its postings is not zero
 */
export function post(rules: PostingTable, event: RecordedEvent, known: StreamBook | undefined): Posted {
  const rule = rules.get(event.type);
  if (rule === undefined || rule === WITHOUT_EFFECT) return { book: known, transactions: [], calledOff: [] };
  const scheduled = (known?.scheduled ?? []).filter(({ at }) => at > event.metadata.occurredAt);
  const outcome = apply(rule, event, { book: known?.book ?? undefined, scheduled });
  const { occurredAt } = event.metadata;
  const now = outcome.now === undefined ? [] : [transactionOf(event, outcome.now, occurredAt, 0)];
  const later = (outcome.schedules ?? []).map((booking, index) =>
    transactionOf(event, booking, booking.at, index + 1),
  );
  for (const transaction of [...now, ...later]) requireBalance(transaction);
  const ahead = [...(outcome.callsOff ? [] : scheduled), ...later];
  return {
    book:
      outcome.book === undefined && ahead.length === 0
        ? undefined
        : { book: outcome.book ?? null, scheduled: ahead },
    transactions: [...now, ...later].filter(({ postings }) => postings.length > 0),
    calledOff: outcome.callsOff ? scheduled : [],
  };
}

function apply(rule: PostingRule, event: RecordedEvent, found: Found<object>): Outcome<object> {
  try {
    return rule(event as RecordedEvent<DomainEvent<string, MoneyData>>, found);
  } catch (error) {
    const problem = (error as Error).message;
    throw new LedgerStopped(`${nameOf(referenceTo(event))} cannot be posted: ${problem}`, { cause: error });
  }
}

function transactionOf(
  event: RecordedEvent,
  { description, postings, timezone }: Booking,
  at: string,
  index: number,
): LedgerTransaction {
  const { customerId, currency, invoiceId, creditNoteId } = event.data as MoneyData;
  return {
    id: index === 0 ? event.id : `${event.id}.${index}`,
    workspaceId: event.metadata.workspaceId,
    event: referenceTo(event),
    at,
    date: dayIn(timezone, at),
    description,
    currency,
    customerId,
    invoiceId: invoiceId ?? null,
    // What takes effect later is of the whole invoice.
    creditNoteId: index === 0 ? (creditNoteId ?? null) : null,
    postings: postings.filter(isNotZero),
  };
}

/** By its text, without a number made of it: some of every event's postings are asked. */
function isNotZero({ amount }: Posting): boolean {
  return /[1-9]/.test(amount);
}
