import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { subscriptionDecider } from './decider.js';
import { requireSubscription, type Subscription } from './subscription.js';

/** Reads subscriptions for the commands of other contexts, from their streams and never from a read model. */
@Injectable()
export class Subscriptions {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the subscription, even if it has ended. Throws NotFound if the subscription is not in the workspace. */
  async require(workspaceId: string, subscriptionId: string): Promise<Subscription> {
    return requireSubscription(subscriptionId, await this.find(workspaceId, subscriptionId));
  }

  /** Returns the subscription, even if it has ended. Undefined if the subscription is not in the workspace. */
  async find(workspaceId: string, subscriptionId: string): Promise<Subscription | undefined> {
    return this.aggregates.load(subscriptionDecider, aggregateId(workspaceId, subscriptionId));
  }
}
