import { Injectable } from '@nestjs/common';
import { Coupons } from '#libs/contexts/coupons';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import type { Bill } from '#libs/contexts/subscriptions';
import { BillingTermsFinder } from '../price/billing-terms-finder.js';
import type { PricedBills } from '../price/priced-bills.js';

/** Records the coupon uses of an invoice before the invoice is created. */
@Injectable()
export class CouponReserver {
  constructor(
    private readonly coupons: Coupons,
    private readonly terms: BillingTermsFinder,
  ) {}

  /**
   * Prices the bills of an invoice with `price`, and reserves their coupons for this invoice. If another invoice used one of these coupons
   * first, the bills are priced again without it. The call can be repeated safely, even if other coupons apply at the repetition.
   */
  async priceAndReserveCoupons(
    context: CommandContext,
    bills: readonly Bill[],
    price: () => Promise<PricedBills>,
  ): Promise<PricedBills> {
    const { customerId, invoiceId } = bills[0]!;
    for (;;) {
      const priced = await price();
      // A carried discount was already used on the earlier invoice.
      const carried = priced.terms.coupons.filter(({ carriedFrom }) => carriedFrom !== undefined);
      const used = priced.discounts
        .map(({ couponId }) => couponId)
        .filter((id) => !carried.some(({ redemptionId }) => redemptionId === id));
      if (used.length === 0) return priced;
      const invoice = await this.terms.couponInvoice(context.workspaceId, bills);
      // The name of the command contains the used coupons. Otherwise a repetition with other coupons would be ignored as already done.
      const using = followUpContext(context, `use coupons on ${invoiceId}: ${used.join(' ')}`);
      if (await this.coupons.useCoupons(using, customerId, invoice, used)) return priced;
    }
  }
}
