import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { LimitAction, LimitWindowKind } from '../limits/events.js';

/** A customer has reached a threshold of a limit in a window. */
export interface LimitReached {
  limitId: string;
  customerId: string;
  metricId: string;
  /** The kind of the window. */
  per: LimitWindowKind;
  action: LimitAction;
  /**
   * The fraction of the limit that was reached; 1 is the limit itself. A blocking limit also reaches 1 when it refuses an event for the
   * first time in the window.
   */
  threshold: DecimalString;
  /** The maximum quantity of the metric within the window. */
  limit: DecimalString;
  /**
   * The used quantity in the window when the threshold was reached. A refused event is not included, so `used` can be below the limit at
   * the threshold 1.
   */
  used: DecimalString;
  windowStart: Instant;
  /** Null if the window of the limit does not end. */
  windowEnd: Instant | null;
  /** The time at which the threshold was reached, by the workspace's clock. */
  at: Instant;
}

/** The events of one limit, customer and window. */
export type LimitWindowEvent = DomainEvent<'UsageLimitReached', LimitReached>;

export const limitWindowEvents: EventCatalog<LimitWindowEvent> = { UsageLimitReached: v1 };
