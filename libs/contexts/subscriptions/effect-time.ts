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

/**
 * The events of a subscription that are in effect at an instant, in their order. Changes that were due by the instant but were applied later
 * are included. The changes take effect in the order in which they were recorded. The first change that takes effect after the instant is
 * left out, with all changes recorded after it. Empty if the subscription did not exist yet.
 *
 * @param events all events of the subscription, oldest first
 */
export function eventsInEffectAt(
  events: readonly Recorded<SubscriptionEvent>[],
  at: Instant,
): readonly Recorded<SubscriptionEvent>[] {
  const [creation, ...changes] = events;
  // If a subscription begins in the past, changes can take effect before its creation. So the time of the creation is compared first.
  if (creation === undefined || creation.metadata.occurredAt > at) return [];
  const later = changes.findIndex((event) => effectTimeOf(event) > at);
  return [creation, ...(later < 0 ? changes : changes.slice(0, later))];
}
