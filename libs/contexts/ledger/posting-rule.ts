import type { Instant } from '#libs/kernel/core';
import type { DomainEvent, RecordedEvent } from '#libs/kernel/domain';
import type { Posting } from './transaction.js';

/** Postings with a description for human readers. */
export interface Booking {
  /** The time zone (IANA) that determines the date of the booking. */
  readonly timezone: string;
  /** The instant at which the booking takes effect, if it is before the event. Otherwise the booking takes effect at the event's time. */
  readonly at?: Instant;
  /** The currency of the booking; if absent, the currency of the event. */
  readonly currency?: string;
  readonly description: string;
  /** The number of the invoice that the booking belongs to. Absent if the booking belongs to no invoice. */
  readonly invoiceNumber?: string;
  readonly postings: readonly Posting[];
}

/** Postings that take effect at a later instant, unless a later event of the stream cancels them. */
export interface ScheduledBooking extends Booking {
  readonly at: Instant;
}

/** The state of the event's stream, which a posting rule gets besides the event. */
export interface PostingContext<Book extends object> {
  /** The last state that a posting rule returned for an event of this stream. Undefined if there is none. */
  readonly book: Book | undefined;
  /** The scheduled bookings that take effect later than the event. */
  readonly scheduled: readonly Pick<ScheduledBooking, 'at' | 'postings'>[];
}

/** The result of a posting rule for one event. */
export interface PostingOutcome<Book extends object> {
  /** The state that the posting rules need for later events of the stream; undefined if they need no state. */
  readonly book: Book | undefined;
  /**
   * The booking that takes effect at the event's time, or earlier if the booking has a time `at`. Postings of zero are left out of the
   * booking.
   */
  readonly now?: Booking;
  /** The bookings that take effect later than the event. */
  readonly schedules?: readonly ScheduledBooking[];
  /** Cancels all bookings that earlier events of the stream scheduled for later than this event. The bookings in `schedules` stay. */
  readonly cancelsScheduled?: true;
}

/** The data of every event with postings: the customer, the currency, and the document if the event has one. */
export interface MoneyEventData {
  readonly customerId: string;
  /** Absent if each booking of the event has its own currency. */
  readonly currency?: string;
  readonly invoiceId?: string;
  readonly creditNoteId?: string;
}

/** Computes the postings of one event type. A rule is a pure function of the event and the state of its stream. */
export type PostingRule<
  E extends DomainEvent = DomainEvent<string, MoneyEventData>,
  Book extends object = object,
> = (event: RecordedEvent<E>, found: PostingContext<Book>) => PostingOutcome<Book>;

/** The posting rule of events for which the ledger posts nothing. */
export const NO_POSTINGS = 'without effect';

/** The posting rules of a context, one for each of its events. The code does not compile if an event type has no rule. */
export type PostingRules<E extends DomainEvent, Book extends object = object> = {
  readonly [T in E['type']]: PostingRule<Extract<E, { type: T }>, Book> | typeof NO_POSTINGS;
};
