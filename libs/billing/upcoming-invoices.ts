import { Injectable } from '@nestjs/common';
import { InvalidRequest, type Instant } from '#libs/core';
import type { InvoiceDiscount } from '#libs/invoicing';
import { computeInvoice, type ComputedInvoice } from '#libs/rating';
import { requireLive, Subscriptions, upcomingBill } from '#libs/subscriptions';
import { BillPricing } from './bill-pricing.js';
import { discountsOf } from './new-invoice.js';

/** The next invoice of a subscription, as it would be if nothing more were used. */
export interface UpcomingInvoice extends Pick<
  ComputedInvoice,
  'currency' | 'lines' | 'subtotal' | 'taxes' | 'total'
> {
  readonly discounts: readonly InvoiceDiscount[];
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

  /**
   * The invoice that is made next if nobody does anything. InvalidRequest (`subscription_canceled`, `subscription_paused`) if
   * there will be none.
   */
  async preview(accountId: string, subscriptionId: string): Promise<UpcomingInvoice> {
    const subscription = await this.subscriptions.require(accountId, subscriptionId);
    requireLive(subscription);
    const { customerId, currency } = subscription;
    const upcoming = upcomingBill(subscription);
    if (upcoming === null)
      throw new InvalidRequest(
        'subscription_paused',
        'The subscription is paused and is not billed until it is resumed',
      );
    const { bill, period, billedAt } = upcoming;
    const priced = bill ? await this.pricing.compute(accountId, bill) : null;
    const { lines, subtotal, taxes, total } =
      priced ?? computeInvoice({ invoiceId: subscriptionId, currency, charges: [] });
    const { periodStart, periodEnd } = bill ?? { periodStart: period.start, periodEnd: period.end };
    return {
      subscriptionId,
      customerId,
      currency,
      lines,
      subtotal,
      discounts: priced ? discountsOf(priced) : [],
      taxes,
      total,
      periodStart,
      periodEnd,
      billedAt,
    };
  }
}
