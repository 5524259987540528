import { Conflict, InvalidRequest, StateConflict, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { couponEvents, type CouponDetails, type CouponEvent } from './events.js';

/** The state of a coupon, from its events. */
export interface Coupon extends CouponDetails {
  createdAt: Instant;
  /** The number of redemptions, without those that were withdrawn. */
  redemptions: number;
  /** The ids of redemptions that were withdrawn and are no longer counted. */
  withdrawn: readonly string[];
  active: boolean;
}

/** The commands on a coupon. `at` is the workspace's time of the creation or the redemption. */
export type CouponCommand =
  | { type: 'CreateCoupon'; at: Instant; details: CouponDetails }
  | { type: 'RedeemCoupon'; at: Instant; couponId: string; redemptionId: string; customerId: string }
  | { type: 'WithdrawRedemption'; couponId: string; redemptionId: string }
  | { type: 'DeactivateCoupon'; couponId: string };

type Of<Type extends CouponCommand['type']> = Extract<CouponCommand, { type: Type }>;

/**
 * Because one stream records all redemptions of a coupon, simultaneous requests cannot exceed the redemption limit.
 */
export const couponDecider = defineDecider<Coupon, CouponCommand, CouponEvent>({
  category: 'coupon',
  events: couponEvents,
  decide(command, coupon) {
    switch (command.type) {
      case 'CreateCoupon':
        return createCoupon(command, coupon);
      case 'RedeemCoupon':
        return redeemCoupon(command, requireCoupon(command.couponId, coupon));
      case 'WithdrawRedemption':
        return withdrawRedemption(command, requireCoupon(command.couponId, coupon));
      case 'DeactivateCoupon': {
        const { couponId, active } = requireCoupon(command.couponId, coupon);
        return active ? [{ type: 'CouponDeactivated', data: { couponId } }] : [];
      }
    }
  },
  evolve,
});

/** Returns the coupon. Throws NotFound if the coupon was never created. */
export function requireCoupon(couponId: string, coupon: Coupon | undefined): Coupon {
  if (!coupon) throw NotFound.of('coupon', couponId);
  return coupon;
}

/**
 * Throws InvalidRequest if the coupon cannot be redeemed at the instant `at`. The error's code is `coupon_inactive`, `coupon_expired` or
 * `coupon_used_up`.
 */
export function requireRedeemable(coupon: Coupon, at: Instant): void {
  const { couponId, active, expiresAt, maxRedemptions, redemptions } = coupon;
  if (!active)
    throw new StateConflict('coupon_inactive', `The coupon "${couponId}" is deactivated; use another one`);
  if (expiresAt !== null && expiresAt <= at)
    throw new StateConflict('coupon_expired', `The coupon "${couponId}" expired at ${expiresAt}`);
  if (maxRedemptions !== null && redemptions >= maxRedemptions)
    throw new StateConflict(
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
  const { expiresAt } = details;
  if (expiresAt !== null && expiresAt <= at)
    throw InvalidRequest.field('expiresAt', `must be in the future; it is ${at}`);
  return [{ type: 'CouponCreated', data: { at, ...details } }];
}

function redeemCoupon({ at, redemptionId, customerId }: Of<'RedeemCoupon'>, coupon: Coupon): CouponEvent[] {
  requireRedeemable(coupon, at);
  const { couponId } = coupon;
  return [{ type: 'CouponRedeemed', data: { couponId, redemptionId, customerId } }];
}

/** Subtracts a redemption from the count, but only once. If one redemption were subtracted twice, the count would be too low. */
function withdrawRedemption(
  { couponId, redemptionId }: Of<'WithdrawRedemption'>,
  { withdrawn }: Coupon,
): CouponEvent[] {
  if (withdrawn.includes(redemptionId)) return [];
  return [{ type: 'CouponRedemptionWithdrawn', data: { couponId, redemptionId } }];
}

function evolve(state: Coupon | undefined, event: CouponEvent): Coupon {
  if (event.type === 'CouponCreated') {
    const { at: createdAt, ...details } = event.data;
    return { ...details, createdAt, redemptions: 0, withdrawn: [], active: true };
  }
  const coupon = requireCreated(state, event);
  switch (event.type) {
    case 'CouponRedeemed': {
      const { redemptionId } = event.data;
      const withdrawn = coupon.withdrawn.filter((id) => id !== redemptionId);
      return { ...coupon, redemptions: coupon.redemptions + 1, withdrawn };
    }
    case 'CouponRedemptionWithdrawn': {
      const { redemptionId } = event.data;
      const withdrawn = [...coupon.withdrawn, redemptionId];
      return { ...coupon, redemptions: coupon.redemptions - 1, withdrawn };
    }
    case 'CouponDeactivated':
      return { ...coupon, active: false };
  }
}
