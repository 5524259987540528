import type { Instant } from '#libs/kernel/core';
import type { Recorded } from '#libs/kernel/domain';
import type { SubscriptionEvent } from './events.js';

/** The instant at which the change of an event took effect. It is before the event's own time if a due change was applied late. */
export function effectTimeOf({ type, data, metadata }: Recorded<SubscriptionEvent>): Instant {
  const { occurredAt } = metadata;
  const at = type === 'SubscriptionRenewed' ? data.period.start : 'at' in data ? data.at : occurredAt;
  return at < occurredAt ? at : occurredAt;
}
