import type { Instant } from '#libs/kernel/core';
import type { Recorded } from '#libs/kernel/domain';
import type { SubscriptionEvent } from './events.js';

/**
 * The instant at which the change of an event took effect. The effect of a change is earlier than its event if the due change was applied
 * late.
 */
export function effectTimeOf({ type, data, metadata }: Recorded<SubscriptionEvent>): Instant {
  const { occurredAt } = metadata;
  const at = type === 'SubscriptionRenewed' ? data.period.start : 'at' in data ? data.at : occurredAt;
  return at < occurredAt ? at : occurredAt;
}
