import { Conflict, InvalidRequest, NotFound, type Instant } from '#libs/core';
import { defineDecider, existing } from '#libs/event-store';
import { couponEvents, type CouponDetails, type CouponEvent } from './events.js';

/** A coupon as its events tell. */
export interface Coupon extends CouponDetails {
  createdAt: Instant;
  redemptions: number;
  active: boolean;
}

export type CouponCommand =
  | { type: 'CreateCoupon'; at: Instant; details: CouponDetails }
  | { type: 'RedeemCoupon'; at: Instant; couponId: string; redemptionId: string; customerId: string }
  | { type: 'WithdrawRedemption'; couponId: string; redemptionId: string }
  | { type: 'DeactivateCoupon'; couponId: string };

type Of<Type extends CouponCommand['type']> = Extract<CouponCommand, { type: Type }>;

/** Redemptions are counted here, so that of those who redeem at once no more get one than there are. */
export const couponDecider = defineDecider<Coupon, CouponCommand, CouponEvent>({
  category: 'coupon',
  events: couponEvents,
  decide(command, coupon) {
    switch (command.type) {
      case 'CreateCoupon':
        return createCoupon(command, coupon);
      case 'RedeemCoupon':
        return redeemCoupon(command, requireCoupon(command.couponId, coupon));
      case 'WithdrawRedemption': {
        const { couponId, redemptionId } = command;
        return [{ type: 'CouponRedemptionWithdrawn', data: { couponId, redemptionId } }];
      }
      case 'DeactivateCoupon': {
        const { couponId, active } = requireCoupon(command.couponId, coupon);
        return active ? [{ type: 'CouponDeactivated', data: { couponId } }] : [];
      }
    }
  },
  evolve,
});

/** The coupon, or NotFound if it was never created. */
export function requireCoupon(couponId: string, coupon: Coupon | undefined): Coupon {
  if (!coupon) throw NotFound.of('coupon', couponId);
  return coupon;
}

/** Refuses a coupon that cannot be redeemed at `at`: `coupon_inactive`, `coupon_expired`, `coupon_used_up`. */
export function requireRedeemable(coupon: Coupon, at: Instant): void {
  const { couponId, active, expiresAt, maxRedemptions, redemptions } = coupon;
  if (!active)
    throw new InvalidRequest('coupon_inactive', `The coupon "${couponId}" is deactivated; use another one`);
  if (expiresAt !== null && expiresAt <= at)
    throw new InvalidRequest('coupon_expired', `The coupon "${couponId}" expired at ${expiresAt}`);
  if (maxRedemptions !== null && redemptions >= maxRedemptions)
    throw new InvalidRequest(
      'coupon_used_up',
      `The coupon "${couponId}" has been redeemed ${redemptions} of ${maxRedemptions} times`,
    );
}

function createCoupon({ at, details }: Of<'CreateCoupon'>, coupon: Coupon | undefined): CouponEvent[] {
  if (coupon)
    throw new Conflict(
      'coupon_already_exists',
      `A coupon "${details.couponId}" exists already; choose another id`,
      [{ field: 'id', message: 'is taken' }],
    );
  return [{ type: 'CouponCreated', data: { createdAt: at, ...details } }];
}

function redeemCoupon({ at, redemptionId, customerId }: Of<'RedeemCoupon'>, coupon: Coupon): CouponEvent[] {
  requireRedeemable(coupon, at);
  const { couponId } = coupon;
  return [{ type: 'CouponRedeemed', data: { couponId, redemptionId, customerId } }];
}

function evolve(state: Coupon | undefined, event: CouponEvent): Coupon {
  if (event.type === 'CouponCreated') return { ...event.data, redemptions: 0, active: true };
  const coupon = existing(state, event);
  switch (event.type) {
    case 'CouponRedeemed':
      return { ...coupon, redemptions: coupon.redemptions + 1 };
    case 'CouponRedemptionWithdrawn':
      return { ...coupon, redemptions: coupon.redemptions - 1 };
    case 'CouponDeactivated':
      return { ...coupon, active: false };
  }
}
