import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, aggregateId, follow, idFor, type CommandContext } from '#libs/event-store';
import { couponDecider } from '../coupon.js';
import { Coupons } from '../coupons.js';
import { customerCouponsDecider, type CustomerCoupon } from '../customer-coupons.js';

/** Whom a coupon is applied to. */
export interface CouponTarget {
  readonly customerId: string;
  /** The subscription whose invoices alone it counts for, with its plan; null: all of the customer's. */
  readonly subscription: { readonly subscriptionId: string; readonly planId: string } | null;
}

/**
 * Redeems a coupon and applies it to a customer or a subscription, which must be there. NotFound if there is no such coupon;
 * InvalidRequest (`coupon_inactive`, `coupon_expired`, `coupon_used_up`, `coupon_of_other_plans`, `coupon_already_applied`) if it
 * cannot be.
 */
export class ApplyCoupon extends Command<CustomerCoupon> {
  constructor(
    readonly context: CommandContext,
    readonly couponId: string,
    readonly target: CouponTarget,
  ) {
    super();
  }
}

@CommandHandler(ApplyCoupon)
export class ApplyCouponHandler implements ICommandHandler<ApplyCoupon> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly coupons: Coupons,
  ) {}

  async execute({ context, couponId, target }: ApplyCoupon): Promise<CustomerCoupon> {
    const { accountId, now: at } = context;
    const { customerId, subscription } = target;
    const redemptionId = idFor(context, 'red', couponId);
    const before = (await this.coupons.ofCustomer(accountId, customerId)).find(
      (one) => one.redemptionId === redemptionId,
    );
    if (before) return before;
    await this.coupons.requireOfPlan(accountId, couponId, subscription?.planId ?? null);
    const redeeming = follow(context, `redeem ${couponId}`);
    const coupon = (
      await this.aggregates.execute(couponDecider, aggregateId(accountId, couponId), redeeming, {
        type: 'RedeemCoupon',
        at,
        couponId,
        redemptionId,
        customerId,
      })
    ).state;
    const { name, discount, duration, planIds, priceIds } = coupon;
    const redemption = {
      ...{ redemptionId, couponId, name, discount, duration, planIds, priceIds },
      subscriptionId: subscription?.subscriptionId ?? null,
      redeemedAt: at,
    };
    const applying = this.aggregates.execute(
      customerCouponsDecider,
      aggregateId(accountId, customerId),
      follow(context, `apply ${couponId}`),
      { type: 'ApplyCoupon', customerId, redemption },
    );
    const { state } = await applying.catch(async (error: unknown) => {
      await this.coupons.withdraw(context, couponId, redemptionId);
      throw error;
    });
    return state.redemptions.find((one) => one.redemptionId === redemptionId)!;
  }
}
