import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InvalidRequest, StateConflict, type Instant } from '#libs/kernel/core';
import {
  ApplyCoupon,
  Coupons,
  isUsableOnInvoice,
  requireRedeemable,
  type Coupon,
} from '#libs/contexts/coupons';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import type { CouponInvoice } from '#libs/rating';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import type { ApplicableCoupon } from '../price/applicable-coupons.js';
import type { PricedItems } from '../invoice/priced-items.js';

/** The lines, discounts, taxes and total of a manual invoice. */
export type ManualInvoiceAmounts = Omit<PricedItems, 'excess'>;

interface ItemsTarget {
  readonly invoiceId: string;
  readonly customerId: string;
  readonly currency: string;
}

/** Records the coupon uses of a manual invoice before the invoice is created. */
@Injectable()
export class ManualInvoiceCouponReserver {
  constructor(
    private readonly commands: CommandBus,
    private readonly coupons: Coupons,
    private readonly settings: CurrentBillingSettings,
  ) {}

  /**
   * Prices the invoice with `price` and these coupons, and records the use of each coupon that discounts something. A coupon that the
   * customer does not have yet is first applied to the customer. Other invoices of the customer can use this coupon too. `price` and all
   * coupons are checked before any coupon is applied. The call is safe to repeat.
   */
  async priceAndReserveCoupons(
    context: CommandContext,
    target: ItemsTarget,
    couponIds: readonly string[],
    price: (coupons: readonly ApplicableCoupon[]) => ManualInvoiceAmounts,
  ): Promise<ManualInvoiceAmounts> {
    if (new Set(couponIds).size < couponIds.length)
      throw InvalidRequest.field('coupons', 'must not name a coupon twice');
    const { invoiceId, customerId } = target;
    const invoice = await this.couponInvoice(context, invoiceId);
    const wanted: ApplicableCoupon[] = [];
    for (const [i, couponId] of couponIds.entries())
      wanted.push(await this.find(context, { ...target, invoice }, couponId, `coupons[${i}]`));
    const { discounts = [] } = price(wanted);
    const applied: ApplicableCoupon[] = [];
    for (const coupon of discounts) applied.push(await this.applied(context, target, coupon));
    const priced = price(applied);
    const used = applied.map(({ redemptionId }) => redemptionId);
    const using = followUpContext(context, `use coupons on ${invoiceId}: ${used.join(' ')}`);
    if (await this.coupons.useCoupons(using, customerId, invoice, used)) return priced;
    throw new StateConflict(
      'coupon_used_up',
      'A coupon was used on another invoice, or removed, at the same moment; send the request without it',
      [{ field: 'coupons', message: 'has a coupon without a use left' }],
    );
  }

  /**
   * Returns the customer's coupon. For a coupon that the customer does not have yet, the result is what applying the coupon would give.
   * Before a coupon is applied, its `redemptionId` is the coupon's id.
   */
  private async find(
    { workspaceId, now }: CommandContext,
    { invoice, customerId, currency }: ItemsTarget & { readonly invoice: CouponInvoice },
    couponId: string,
    field: string,
  ): Promise<ApplicableCoupon> {
    const held = (await this.coupons.ofCustomer(workspaceId, customerId)).find(
      (one) => one.couponId === couponId && one.subscriptionId === null && isUsableOnInvoice(one, invoice),
    );
    const { name, discount, planIds, priceIds } = held ?? (await this.redeemable(workspaceId, couponId, now));
    if (planIds !== null || priceIds !== null)
      throw InvalidRequest.field(
        field,
        `is limited to plans or prices, and lines of a manual invoice have none ("${couponId}"); use a coupon for whole invoices`,
      );
    if (discount.type === 'fixed' && discount.currency !== currency)
      throw InvalidRequest.field(field, `is in ${discount.currency}, the invoice in ${currency}`);
    return { redemptionId: held?.redemptionId ?? couponId, couponId, name, discount };
  }

  /** A manual invoice is in no billing period. Months are counted in the time zone of the workspace. */
  private async couponInvoice(
    { workspaceId, now: at }: CommandContext,
    invoiceId: string,
  ): Promise<CouponInvoice> {
    const { timezone } = await this.settings.ofWorkspace(workspaceId);
    return { invoiceId, at, timezone: timezone ?? 'UTC', periods: [] };
  }

  private async redeemable(workspaceId: string, couponId: string, now: Instant): Promise<Coupon> {
    const coupon = await this.coupons.require(workspaceId, couponId);
    requireRedeemable(coupon, now);
    return coupon;
  }

  private async applied(
    context: CommandContext,
    { customerId }: ItemsTarget,
    { redemptionId, couponId, name, discount }: ApplicableCoupon,
  ): Promise<ApplicableCoupon> {
    if (redemptionId !== couponId) return { redemptionId, couponId, name, discount };
    const target = { customerId, subscription: null };
    const applied = await this.commands.execute(new ApplyCoupon(context, couponId, target));
    return { redemptionId: applied.redemptionId, couponId, name, discount };
  }
}
