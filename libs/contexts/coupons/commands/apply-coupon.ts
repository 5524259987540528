import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Conflict, InvalidRequest, storedTranslations } from '#libs/kernel/core';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { couponDecider } from '../coupon.js';
import { Coupons } from '../coupons.js';
import { customerCouponsDecider, type CustomerCoupon } from '../customer-coupons.js';

/** The customer or the subscription that gets a coupon. */
export interface CouponTarget {
  readonly customerId: string;
  /** The subscription that the coupon is limited to, with its plan; null if the coupon is for all subscriptions of the customer. */
  readonly subscription: { readonly subscriptionId: string; readonly planId: string } | null;
}

/**
 * Redeems a coupon and applies it to a customer or to one subscription. The caller must have checked that the customer exists. The
 * subscription can be one that is about to be created. Throws NotFound if the coupon does not exist. Throws StateConflict
 * (`coupon_inactive`, `coupon_expired`, `coupon_used_up`, `coupon_of_other_plans`, `coupon_already_applied`) if the coupon cannot be
 * applied.
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
    const { workspaceId, now: at } = context;
    const { customerId, subscription } = target;
    const { redemptionId, applied } = await this.coupons.redemptionOfCommand(context, customerId, couponId);
    if (applied) return applied;
    await this.coupons.requireApplicableToPlan(workspaceId, couponId, subscription?.planId ?? null);
    const coupon = (
      await this.aggregates.execute(
        couponDecider,
        aggregateId(workspaceId, couponId),
        followUpContext(context, `redeem ${redemptionId}`),
        { type: 'RedeemCoupon', at, couponId, redemptionId, customerId },
      )
    ).state;
    const { name, nameTranslations, discount, duration, planIds, priceIds } = coupon;
    const redemption = {
      redemptionId,
      couponId,
      name,
      discount,
      duration,
      planIds,
      priceIds,
      ...storedTranslations(nameTranslations),
      subscriptionId: subscription?.subscriptionId ?? null,
      redeemedAt: at,
    };
    const applying = this.aggregates.execute(
      customerCouponsDecider,
      aggregateId(workspaceId, customerId),
      followUpContext(context, `apply ${redemptionId}`),
      { type: 'ApplyCoupon', customerId, redemption },
    );
    const { state } = await applying.catch(async (error: unknown) => {
      // After any other error, the coupon may have been applied. So the redemption is kept, and a repeated request uses it.
      if (error instanceof InvalidRequest || error instanceof Conflict)
        await this.coupons.withdrawRedemption(context, couponId, redemptionId);
      throw error;
    });
    return state.redemptions.find((one) => one.redemptionId === redemptionId)!;
  }
}
