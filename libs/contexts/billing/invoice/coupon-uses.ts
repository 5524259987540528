import { Injectable } from '@nestjs/common';
import { Coupons } from '#libs/contexts/coupons';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import type { Bill } from '#libs/contexts/subscriptions';
import type { PricedBills } from '../price/priced-bills.js';

/** Uses up the coupons of invoices, before they say so. */
@Injectable()
export class CouponUses {
  constructor(private readonly coupons: Coupons) {}

  /**
   * The bills of an invoice, priced by `price` with coupons that no other invoice can use any more. If another invoice was faster, they are
   * priced again without the coupons that it took. Safe to repeat, also where other coupons count by then.
   */
  async price(
    context: CommandContext,
    { customerId, invoiceId }: Pick<Bill, 'customerId' | 'invoiceId'>,
    price: () => Promise<PricedBills>,
  ): Promise<PricedBills> {
    for (;;) {
      const priced = await price();
      // What goes over from an invoice before was used there.
      const carried = priced.terms.coupons.filter(({ carriedFrom }) => carriedFrom !== undefined);
      const used = priced.discounts
        .map(({ couponId }) => couponId)
        .filter((id) => !carried.some(({ redemptionId }) => redemptionId === id));
      // Named by what is used: a repetition that uses more would be taken for what was done before.
      const using = follow(context, `use coupons on ${invoiceId}: ${used.join(' ')}`);
      if (await this.coupons.use(using, customerId, invoiceId, used)) return priced;
    }
  }
}
