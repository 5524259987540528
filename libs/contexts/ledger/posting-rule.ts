import type { Instant } from '#libs/kernel/core';
import type { DomainEvent, RecordedEvent } from '#libs/kernel/domain';
import type { Posting } from './transaction.js';

/** Postings with what a person reads beside them. */
export interface Booking {
  /** Whose calendar gives its date (IANA). */
  readonly timezone: string;
  readonly description: string;
  readonly postings: readonly Posting[];
}

/** Postings that take effect by themselves as time passes, unless a later event of the stream calls them off. */
export interface ScheduledBooking extends Booking {
  readonly at: Instant;
}

/** What a rule finds: what the rules before it left for its stream. */
export interface Found<Book extends object> {
  /** Undefined before the first rule that leaves one. */
  readonly book: Book | undefined;
  /** What is scheduled for later than the event. */
  readonly scheduled: readonly Omit<ScheduledBooking, 'timezone'>[];
}

/** What an event leads to in the ledger. */
export interface Outcome<Book extends object> {
  /** What the rules of the stream's later events need to know; undefined if there is nothing left to know. */
  readonly book: Book | undefined;
  /** Posted at the event's time. Postings of zero are left out of it. */
  readonly now?: Booking;
  /** Posted later. */
  readonly schedules?: readonly ScheduledBooking[];
  /** What is scheduled for later than the event does not happen. */
  readonly callsOff?: true;
}

/** An event that moves money carries whom it is about, and in which currency. */
export interface MoneyData {
  readonly customerId: string;
  readonly currency: string;
  readonly invoiceId?: string;
  readonly creditNoteId?: string;
}

/** How events of one type are posted. Pure: made of the event and of what was found. */
export type PostingRule<
  E extends DomainEvent = DomainEvent<string, MoneyData>,
  Book extends object = object,
> = (event: RecordedEvent<E>, found: Found<Book>) => Outcome<Book>;

/** For events that change no balance. */
export const WITHOUT_EFFECT = 'without effect';

/** A rule for every event of a context with money, so that a new event without one does not compile. */
export type PostingRules<E extends DomainEvent, Book extends object = object> = {
  readonly [T in E['type']]: PostingRule<Extract<E, { type: T }>, Book> | typeof WITHOUT_EFFECT;
};
