import { addSeconds, type Instant } from '#libs/core';
import { usageLimits } from '../limits.js';
import type { Refusal } from './rejection.js';

/** The times that an event may have, seen from one moment of the workspace's clock. */
export class TimeWindow {
  /** That moment, for events without a time. UTC with microseconds, as are the bounds. */
  readonly now: string;
  private readonly earliest: string;
  private readonly latest: string;

  constructor(now: Instant) {
    this.now = precise(now);
    this.earliest = precise(addSeconds(now, -usageLimits.behindSeconds));
    this.latest = precise(addSeconds(now, usageLimits.aheadSeconds));
  }

  /** Why an event cannot have this time (UTC with microseconds), if it cannot. */
  refuse(timestamp: string): Refusal | undefined {
    if (timestamp > this.latest)
      return {
        code: 'timestamp_too_late',
        field: 'timestamp',
        reason: `timestamp ${timestamp} is more than ${usageLimits.aheadSeconds / 60} minutes ahead; the workspace's clock stands at ${this.now}; a sandbox's clock is moved with POST /v1/sandbox/clock/advance`,
      };
    if (timestamp < this.earliest)
      return {
        code: 'timestamp_too_early',
        field: 'timestamp',
        reason: `timestamp ${timestamp} is more than ${usageLimits.behindSeconds / 86_400} days behind the workspace's clock (${this.now})`,
      };
    return undefined;
  }
}

/** Text order is time order only among texts with the same number of digits. */
function precise(instant: Instant): string {
  return `${instant.slice(0, 23)}000Z`;
}
