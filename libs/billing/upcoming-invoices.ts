import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/core';
import { computeInvoice, type ComputedInvoice } from '#libs/rating';
import { requireLive, Subscriptions, upcomingBill } from '#libs/subscriptions';
import { BillPricing } from './bill-pricing.js';

/** The next invoice of a subscription, as it would be if nothing more were used. */
export interface UpcomingInvoice extends Pick<ComputedInvoice, 'currency' | 'lines' | 'total'> {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  /** When it will be made. */
  readonly billedAt: Instant;
}

/** Previews: computed by what computes the invoices, and kept nowhere. */
@Injectable()
export class UpcomingInvoices {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly pricing: BillPricing,
  ) {}

  /** The invoice of the next boundary. InvalidRequest (`subscription_canceled`) if there will be none. */
  async preview(accountId: string, subscriptionId: string): Promise<UpcomingInvoice> {
    const subscription = await this.subscriptions.require(accountId, subscriptionId);
    requireLive(subscription);
    const { customerId, currency, period } = subscription;
    const bill = upcomingBill(subscription);
    const { lines, total } = bill
      ? await this.pricing.compute(accountId, bill)
      : computeInvoice({ invoiceId: subscriptionId, currency, charges: [] });
    const { start: periodStart, end: periodEnd } = period;
    return {
      subscriptionId,
      customerId,
      currency,
      lines,
      total,
      periodStart,
      periodEnd,
      billedAt: periodEnd,
    };
  }
}
