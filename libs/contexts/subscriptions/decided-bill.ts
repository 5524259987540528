import type { RecordedEvent } from '#libs/kernel/domain';
import { subscriptionEvents, type Bill, type SubscriptionEvent } from './events.js';

/** Returns the bill that a subscription's event decided. Undefined if the event contains no bill, or does not belong to a subscription. */
export function billOfEvent({ type, data }: RecordedEvent): Bill | undefined {
  if (!(type in subscriptionEvents)) return undefined;
  const decided = data as SubscriptionEvent['data'];
  return ('bill' in decided ? decided.bill : null) ?? undefined;
}
