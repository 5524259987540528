import { addSeconds, type Instant } from '#libs/kernel/core';
import { usageLimits } from '../limits.js';
import type { Refusal } from './rejection.js';

/** `live`: as it happens, or soon after. `past`: of whatever time has gone by, and never without saying when it was. */
export type Reach = 'live' | 'past';

/** The times that an event may have, seen from one moment of the workspace's clock. */
export class TimeWindow {
  /** That moment, for events without a time. UTC with microseconds, as are the bounds. */
  readonly now: string;
  private readonly earliest: string | undefined;
  private readonly latest: string;

  constructor(
    now: Instant,
    private readonly reach: Reach = 'live',
  ) {
    this.now = precise(now);
    this.earliest = reach === 'past' ? undefined : precise(addSeconds(now, -usageLimits.behindSeconds));
    this.latest = precise(addSeconds(now, usageLimits.aheadSeconds));
  }

  /** Why an event cannot have this time (UTC with microseconds; undefined: none), if it cannot. */
  refuse(timestamp: string | undefined): Refusal | undefined {
    if (timestamp === undefined)
      return this.reach === 'live'
        ? undefined
        : {
            code: 'missing_field',
            field: 'timestamp',
            reason: 'timestamp is required, since what is filled in afterwards was used at some earlier time',
          };
    if (timestamp > this.latest)
      return {
        code: 'timestamp_too_late',
        field: 'timestamp',
        reason: `timestamp ${timestamp} is more than ${usageLimits.aheadSeconds / 60} minutes ahead; the workspace's clock stands at ${this.now}; a sandbox's clock is moved with POST /v1/sandbox/clock/advance`,
      };
    if (this.earliest !== undefined && timestamp < this.earliest)
      return {
        code: 'timestamp_too_early',
        field: 'timestamp',
        reason: `timestamp ${timestamp} is more than ${usageLimits.behindSeconds / 86_400} days behind the workspace's clock (${this.now}); usage of past periods is sent to POST /v1/events/backfill`,
      };
    return undefined;
  }
}

/** Text order is time order only among texts with the same number of digits. */
function precise(instant: Instant): string {
  return `${instant.slice(0, 23)}000Z`;
}
