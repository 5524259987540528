import { Injectable } from '@nestjs/common';
import { Decimal, InvalidRequest, moneyString } from '#libs/core';
import { requireLive, Subscriptions, upcomingBill } from '#libs/subscriptions';
import { BillPreviews, type InvoiceToCome } from './bill-previews.js';
import { RefundableFees } from './refundable-fees.js';

/** The next invoice of a subscription, as it would be if nothing more were used. */
@Injectable()
export class UpcomingInvoices {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly previews: BillPreviews,
    private readonly refundable: RefundableFees,
  ) {}

  /**
   * The invoice that is made next if nobody does anything. InvalidRequest (`subscription_canceled`, `subscription_paused`) if
   * there will be none.
   */
  async preview(accountId: string, subscriptionId: string): Promise<InvoiceToCome> {
    const subscription = await this.subscriptions.require(accountId, subscriptionId);
    requireLive(subscription);
    const upcoming = upcomingBill(subscription, await this.refundable.of(accountId, subscription));
    if (upcoming === null)
      throw new InvalidRequest(
        'subscription_paused',
        'The subscription is paused and is not billed until it is resumed',
      );
    const { bill, period, billedAt } = upcoming;
    if (bill) return this.previews.of(accountId, bill);
    const { customerId, currency } = subscription;
    const { start: periodStart, end: periodEnd } = period;
    const nothing = { lines: [], total: moneyString(new Decimal(0), currency) };
    const about = { subscriptionId, customerId, currency, periodStart, periodEnd, billedAt };
    return this.previews.withBalance(accountId, { ...about, ...nothing });
  }
}
