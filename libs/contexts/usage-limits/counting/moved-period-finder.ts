import { Injectable } from '@nestjs/common';
import { subscriptionDecider, type SubscriptionEvent } from '#libs/contexts/subscriptions';
import { aggregateId, fold, type RecordedEvent } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import { meteredSubscription, metricsWithMovedPeriods } from '../windows/metered-subscription.js';

/** Finds the metrics for which an event of a subscription has moved the windows of limits. */
@Injectable()
export class MovedPeriodFinder {
  constructor(private readonly streams: StreamReader) {}

  /** Returns the metrics whose `period` windows can differ before and after the event. */
  async metricsOf(workspaceId: string, subscriptionId: string, eventId: string): Promise<string[]> {
    const stream = `${subscriptionDecider.category}-${aggregateId(workspaceId, subscriptionId)}`;
    const events = await this.streams.read(stream);
    const index = events.findIndex(({ id }) => id === eventId);
    if (index < 0) throw new Error(`The stream ${stream} has no event ${eventId}`);
    return metricsWithMovedPeriods(
      meteredSubscription(stateAfter(events.slice(0, index))),
      meteredSubscription(stateAfter(events.slice(0, index + 1))),
    );
  }
}

function stateAfter(events: readonly RecordedEvent[]) {
  return fold(subscriptionDecider, events as unknown as SubscriptionEvent[]);
}
