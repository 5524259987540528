import type { Instant } from '#libs/kernel/core';
import type { Recorded } from '#libs/kernel/domain';
import type { SubscriptionEvent } from './events.js';

/**
 * Returns the instant at which the change that an event records took effect. If the change was applied late, this instant is before the
 * time of the event.
 */
export function effectTimeOf({ type, data, metadata }: Recorded<SubscriptionEvent>): Instant {
  const { occurredAt } = metadata;
  const at = type === 'SubscriptionRenewed' ? data.period.start : 'at' in data ? data.at : occurredAt;
  return at < occurredAt ? at : occurredAt;
}
