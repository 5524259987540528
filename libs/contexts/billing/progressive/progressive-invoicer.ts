import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Conflict, InvalidRequest } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { PRORATION_BY_TIME, amountOfNewUsage } from '#libs/rating';
import {
  ChangeSubscription,
  progressiveBill,
  Subscriptions,
  billingThresholdsOf,
  type Bill,
  type Subscription,
} from '#libs/contexts/subscriptions';
import { UsageWatchStore } from '#libs/usage';
import { BillPricer } from '../price/bill-pricer.js';
import { DueChangeApplier } from '../advance/due-change-applier.js';
import type { InvoicePricingTerms } from '../price/billing-terms-finder.js';

/**
 * The maximum number of attempts to bill a subscription. An attempt fails if the subscription changes at the same moment. Such a change can
 * be a bill of another threshold check, the end of the period, or a change of terms.
 */
const MAX_ATTEMPTS = 5;

/** The billing terms with which a threshold is measured. A threshold is compared with amounts before coupons and taxes. */
const WITHOUT_TAXES_AND_COUPONS: InvoicePricingTerms = {
  prorationBases: [PRORATION_BY_TIME],
  taxRates: [],
  coupons: [],
};

/**
 * Bills the usage of a period as soon as the usage reaches the subscription's threshold. Notifications about changed usage can come twice
 * or late, so the usage is measured at each check. If several callers check the same subscription at once, only one bills.
 */
@Injectable()
export class ProgressiveInvoicer {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: Subscriptions,
    private readonly cycles: DueChangeApplier,
    private readonly pricer: BillPricer,
    private readonly watches: UsageWatchStore,
  ) {}

  /**
   * Bills the subscription's usage if it has reached the threshold. Watches the customer's usage as long as the subscription has a
   * threshold and has not ended.
   */
  async billIfThresholdReached(context: CommandContext, subscriptionId: string): Promise<void> {
    const { workspaceId } = context;
    const subscription = await this.subscriptions.require(workspaceId, subscriptionId);
    const watch = { workspaceId, customerId: subscription.customerId, watcher: subscriptionId };
    if (billingThresholdsOf(subscription) === null || subscription.phase === 'canceled')
      return this.watches.endWatch(watch);
    // The watch begins before the measurement, so that later usage causes a new notification.
    await this.watches.beginWatch(watch);
    await this.bill(context, subscriptionId);
  }

  /**
   * Decides a bill if usage has reached the threshold. The billing process creates the invoice of this bill later. Throws Conflict if the
   * subscription changed during every attempt.
   */
  private async bill(context: CommandContext, subscriptionId: string): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { subscription } = await this.cycles.applyDueChanges(context, subscriptionId);
      const bill = await this.billIfReached(context, subscription);
      if (bill === null) return;
      const { changed } = await this.commands.execute(
        new ChangeSubscription(followUpContext(context, `progress ${bill.invoiceId}`), {
          type: 'BillProgress',
          subscriptionId,
          bill,
        }),
      );
      if (changed) return;
    }
    throw new Conflict('subscription_changed', 'The subscription was billed at the same moment; try again');
  }

  private async billIfReached(
    { workspaceId, now }: CommandContext,
    subscription: Subscription,
  ): Promise<Bill | null> {
    const thresholds = billingThresholdsOf(subscription);
    if (thresholds === null || subscription.phase !== 'active') return null;
    const bill = progressiveBill(subscription, now);
    if (bill === null) return null;
    try {
      const { lines } = await this.pricer.compute(workspaceId, [bill], {
        terms: WITHOUT_TAXES_AND_COUPONS,
        previous: [null],
      });
      return amountOfNewUsage(lines).gte(thresholds.amountGte) ? bill : null;
    } catch (error) {
      // Usage that cannot be measured is billed at the end of the period. That invoice is retried until the measurement succeeds.
      if (error instanceof InvalidRequest && error.code === 'metric_sql_failed') return null;
      throw error;
    }
  }
}
