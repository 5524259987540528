import type { Instant } from '#libs/kernel/core';
import type { DomainEvent, RecordedEvent } from '#libs/kernel/domain';
import type { Posting } from './transaction.js';

/** Postings with a description for people. */
export interface Booking {
  /** The time zone (IANA) that determines the date of the booking. */
  readonly timezone: string;
  /** The instant at which the booking takes effect, if it is before the event. If absent, it is the time of the event. */
  readonly at?: Instant;
  /** If absent, it is the currency of the event. */
  readonly currency?: string;
  readonly description: string;
  /** The number of the invoice. Absent if the booking belongs to no invoice. */
  readonly invoiceNumber?: string;
  readonly postings: readonly Posting[];
}

/** Postings that take effect at a later instant, unless a later event of the stream cancels them. */
export interface ScheduledBooking extends Booking {
  readonly at: Instant;
}

/** The input of a posting rule besides the event: the state of the stream. */
export interface PostingContext<Book extends object> {
  /** The state that an earlier rule of the stream returned. Undefined if no rule has returned a state. */
  readonly book: Book | undefined;
  /** The bookings that are scheduled for later than the event. */
  readonly scheduled: readonly Pick<ScheduledBooking, 'at' | 'postings'>[];
}

/** The result of a posting rule for one event. */
export interface PostingOutcome<Book extends object> {
  /** The state that rules of the stream's later events need; undefined if they need none. */
  readonly book: Book | undefined;
  /** The booking at the event's time, or at its own earlier time. It contains no postings of zero. */
  readonly now?: Booking;
  /** The bookings that take effect later than the event. */
  readonly schedules?: readonly ScheduledBooking[];
  /** Cancels all bookings that are scheduled for later than the event. */
  readonly callsOff?: true;
}

/** The data of every event with postings: the customer, the currency, and the document if there is one. */
export interface MoneyEventData {
  readonly customerId: string;
  /** Absent if the bookings of the event name their currency. */
  readonly currency?: string;
  readonly invoiceId?: string;
  readonly creditNoteId?: string;
}

/** Computes the postings of one event type. A rule is a pure function of the event and the state of its stream. */
export type PostingRule<
  E extends DomainEvent = DomainEvent<string, MoneyEventData>,
  Book extends object = object,
> = (event: RecordedEvent<E>, found: PostingContext<Book>) => PostingOutcome<Book>;

/** The rule of events that change no balance. */
export const NO_POSTINGS = 'without effect';

/** The posting rules of a context, one for each of its events. A new event without a rule does not compile. */
export type PostingRules<E extends DomainEvent, Book extends object = object> = {
  readonly [T in E['type']]: PostingRule<Extract<E, { type: T }>, Book> | typeof NO_POSTINGS;
};
