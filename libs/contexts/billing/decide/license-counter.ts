import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Licenses, type LicenseChange } from '#libs/contexts/licenses';
import {
  ChangeSubscription,
  hasLicensePrice,
  mustCountLicenses,
  subscriptionDecider,
  type Subscription,
} from '#libs/contexts/subscriptions';
import { fold } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import type { PriceSnapshot } from '#libs/rating';

/** Counts the licenses of customers as seats of their subscriptions. */
@Injectable()
export class LicenseCounter {
  constructor(
    private readonly commands: CommandBus,
    private readonly licenses: Licenses,
  ) {}

  /**
   * Returns the changes of licenses that the subscription has not counted. The list is empty if the subscription has ended. It is also
   * empty if no price of the subscription, of its scheduled changes, or of `prices` charges for licenses. `prices` are further prices that
   * the subscription is about to get.
   */
  async uncountedChanges(
    workspaceId: string,
    subscription: Subscription,
    prices: readonly PriceSnapshot[] = [],
  ): Promise<LicenseChange[]> {
    if (!mustCountLicenses(subscription, prices)) return [];
    const { customerId, licenses } = subscription;
    return this.licenses.changesAfter(workspaceId, customerId, licenses?.changes ?? 0);
  }

  /**
   * Counts the changes of licenses in order. Counting stops after the first change for which more seats must be billed. Counting also stops
   * before a change that happened at or after the subscription's next due change. If several callers count at the same time, each change of
   * licenses is counted only once.
   */
  async countChanges(
    context: CommandContext,
    { subscriptionId, licenses }: Subscription,
    changes: readonly LicenseChange[],
  ): Promise<{ state: Subscription; changed: boolean }> {
    const counted = followUpContext(
      context,
      `count licenses of ${subscriptionId} after ${licenses?.changes ?? 0}`,
    );
    const command = { type: 'CountLicenses', subscriptionId, changes } as const;
    return this.commands.execute(new ChangeSubscription(counted, command));
  }

  /**
   * Counts the licenses for prices that the subscription is about to have. If the subscription gets no license prices,
   * `countLicensesForPrices` does nothing. For license prices that the subscription already has, licenses are counted whenever its due
   * changes are applied.
   */
  async countLicensesForPrices(
    context: CommandContext,
    subscription: Subscription,
    prices: readonly PriceSnapshot[],
  ): Promise<Subscription> {
    if (!hasLicensePrice(prices)) return subscription;
    const changes = await this.uncountedChanges(context.workspaceId, subscription, prices);
    return changes.length === 0
      ? subscription
      : (await this.countChanges(context, subscription, changes)).state;
  }

  /** Returns the subscription with its licenses counted up to its next due change, and stores nothing. */
  async subscriptionWithLicensesCounted(
    workspaceId: string,
    subscription: Subscription,
    prices: readonly PriceSnapshot[],
  ): Promise<Subscription> {
    const { subscriptionId } = subscription;
    const changes = await this.uncountedChanges(workspaceId, subscription, prices);
    let state = subscription;
    for (;;) {
      const events = subscriptionDecider.decide({ type: 'CountLicenses', subscriptionId, changes }, state);
      if (events.length === 0) return state;
      state = fold(subscriptionDecider, events, state)!;
    }
  }
}
