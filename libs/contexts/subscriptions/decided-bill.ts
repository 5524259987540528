import type { RecordedEvent } from '#libs/kernel/domain';
import { subscriptionEvents, type Bill, type SubscriptionEvent } from './events.js';

/** The bill that an event decided, if it is a subscription's and did. */
export function decidedBill({ type, data }: RecordedEvent): Bill | undefined {
  if (!(type in subscriptionEvents)) return undefined;
  const decided = data as SubscriptionEvent['data'];
  return ('bill' in decided ? decided.bill : null) ?? undefined;
}
