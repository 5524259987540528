import { addSeconds, type Instant } from '#libs/kernel/core';
import { usageBounds } from '../usage-bounds.js';
import type { EventRefusal } from './rejection.js';

/**
 * The accepted times of events. With `live`, events are sent when they happen, or soon after. With `past`, events can have any past
 * timestamp, but must have one.
 */
export type AcceptedTimes = 'live' | 'past';

/** The range of timestamps that an event can have at one instant of the workspace's clock. */
export class TimeWindow {
  /** The timestamp of events that are sent without one. The timestamp is in UTC with microseconds, like the limits of the window. */
  readonly now: string;
  private readonly earliest: string | undefined;
  private readonly latest: string;

  constructor(
    now: Instant,
    private readonly reach: AcceptedTimes = 'live',
  ) {
    this.now = precise(now);
    this.earliest = reach === 'past' ? undefined : precise(addSeconds(now, -usageBounds.behindSeconds));
    this.latest = precise(addSeconds(now, usageBounds.aheadSeconds));
  }

  /**
   * Returns the refusal of a timestamp (UTC with microseconds, or undefined if the event has none). Returns undefined if the timestamp is
   * accepted.
   */
  refusalOf(timestamp: string | undefined): EventRefusal | undefined {
    if (timestamp === undefined)
      return this.reach === 'live'
        ? undefined
        : {
            code: 'missing_field',
            field: 'timestamp',
            reason:
              'timestamp is required for backfilled usage, because the usage happened at an earlier time',
          };
    if (timestamp > this.latest)
      return {
        code: 'timestamp_too_late',
        field: 'timestamp',
        reason: `timestamp ${timestamp} is more than ${usageBounds.aheadSeconds / 60} minutes ahead; the workspace's clock stands at ${this.now}; a sandbox's clock is moved with POST /v1/sandbox/clock/advance`,
      };
    if (this.earliest !== undefined && timestamp < this.earliest)
      return {
        code: 'timestamp_too_early',
        field: 'timestamp',
        reason: `timestamp ${timestamp} is more than ${usageBounds.behindSeconds / 86_400} days behind the workspace's clock (${this.now}); usage of past periods is sent to POST /v1/events/backfill`,
      };
    return undefined;
  }
}

/** Adds digits to an instant, because strings sort by time only if they have the same number of digits. */
function precise(instant: Instant): string {
  return `${instant.slice(0, 23)}000Z`;
}
