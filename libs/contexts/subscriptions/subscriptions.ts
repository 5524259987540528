import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { subscriptionDecider } from './decider.js';
import { requireSubscription, type Subscription } from './subscription.js';

/** Subscriptions as the other contexts' commands see them: read from their streams, never from a read model. */
@Injectable()
export class Subscriptions {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The subscription, also if it has ended; NotFound if it is not in the workspace. */
  async require(workspaceId: string, subscriptionId: string): Promise<Subscription> {
    const id = aggregateId(workspaceId, subscriptionId);
    return requireSubscription(subscriptionId, await this.aggregates.load(subscriptionDecider, id));
  }
}
