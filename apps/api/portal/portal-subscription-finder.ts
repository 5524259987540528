import { Injectable } from '@nestjs/common';
import type { PortalPrincipal } from '#libs/contexts/identity';
import type { Subscription } from '#libs/contexts/subscriptions';
import { InvalidRequest, NotFound } from '#libs/kernel/core';
import { SubscriptionQueries } from '#projections/subscriptions';

/** The maximum number of subscriptions that an error message lists. */
const MAX_NAMED = 10;

/** Finds the subscription that a customer's request to the portal is about. */
@Injectable()
export class PortalSubscriptionFinder {
  constructor(private readonly subscriptions: SubscriptionQueries) {}

  /**
   * Returns the customer's subscription with this id. Without an id, returns the customer's only subscription that has not ended, or
   * undefined if the customer has none. Throws InvalidRequest (`subscription_required`) if the customer has several subscriptions, and
   * NotFound for the id of another customer's subscription.
   */
  async find(
    { workspaceId, customerId }: Pick<PortalPrincipal, 'workspaceId' | 'customerId'>,
    subscriptionId?: string,
  ): Promise<Subscription | undefined> {
    if (subscriptionId !== undefined) {
      const subscription = await this.subscriptions.get(workspaceId, subscriptionId);
      if (subscription.customerId !== customerId) throw NotFound.of('subscription', subscriptionId);
      return subscription;
    }
    const ids = await this.subscriptions.oldestLiveIdsOf(workspaceId, { customerId }, MAX_NAMED + 1);
    return requireAtMostOneSubscription(
      await Promise.all(ids.map((id) => this.subscriptions.get(workspaceId, id))),
    );
  }

  /** Like {@link find}. Throws NotFound (`no_subscription`) if the customer has no subscription. */
  async require(
    customer: Pick<PortalPrincipal, 'workspaceId' | 'customerId'>,
    subscriptionId?: string,
  ): Promise<Subscription> {
    const subscription = await this.find(customer, subscriptionId);
    if (!subscription)
      throw new NotFound('no_subscription', 'The customer has no subscription that has not ended');
    return subscription;
  }
}

/**
 * Returns the only subscription. Returns undefined if there is no subscription. Throws InvalidRequest (`subscription_required`) with the
 * ids of the subscriptions if there are several.
 */
export function requireAtMostOneSubscription<One extends Pick<Subscription, 'subscriptionId' | 'planName'>>(
  live: readonly One[],
): One | undefined {
  if (live.length <= 1) return live[0];
  const named = live
    .slice(0, MAX_NAMED)
    .map(({ subscriptionId, planName }) => `${subscriptionId} (${planName})`);
  const more = live.length > MAX_NAMED ? ' or another one' : '';
  throw InvalidRequest.field(
    'subscriptionId',
    `is required, since the customer has several subscriptions: ${named.join(', ')}${more}`,
    'subscription_required',
  );
}
