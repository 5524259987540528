import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { couponDecider } from './coupon.js';
import type { CouponDetails, CouponEvent } from './events.js';

const couponId = 'WELCOME';
const at = '2026-01-01T00:00:00.000Z';
const details: CouponDetails = {
  couponId,
  name: 'Welcome',
  discount: { type: 'percentage', percent: '10' },
  duration: { type: 'once' },
  planIds: null,
  priceIds: null,
  maxRedemptions: 1,
  expiresAt: '2026-02-01T00:00:00.000Z',
};
const created: CouponEvent = { type: 'CouponCreated', data: { at, ...details } };
const customerId = 'cust_1';
const redeem = (redemptionId = 'red_1', when = at) =>
  ({ type: 'RedeemCoupon', at: when, couponId, redemptionId, customerId }) as const;
const redeemed: CouponEvent = {
  type: 'CouponRedeemed',
  data: { couponId, redemptionId: 'red_1', customerId },
};
const withdrawn: CouponEvent = {
  type: 'CouponRedemptionWithdrawn',
  data: { couponId, redemptionId: 'red_1' },
};
const deactivated: CouponEvent = { type: 'CouponDeactivated', data: { couponId } };
const { given } = decide(couponDecider);

describe('a coupon', () => {
  it('has an id of its own', () => {
    given().when({ type: 'CreateCoupon', at, details }).then(created);
    given(created).when({ type: 'CreateCoupon', at, details }).refused('coupon_already_exists', 'id');
  });

  it('expires in the future or never', () => {
    const expiring = (expiresAt: string | null) =>
      given().when({ type: 'CreateCoupon', at, details: { ...details, expiresAt } });
    expiring(at).refused('validation_failed', 'expiresAt');
    expiring('2025-12-31T23:59:59.999Z').refused('validation_failed', 'expiresAt');
    expiring(null).then({ type: 'CouponCreated', data: { at, ...details, expiresAt: null } });
  });

  it('is redeemed up to its maximum of redemptions, and withdrawn ones do not count', () => {
    given(created).when(redeem()).then(redeemed);
    given(created, redeemed).when(redeem('red_2')).refused('coupon_used_up');
    given(created, redeemed, withdrawn).when(redeem()).then(redeemed);
    given().when(redeem()).refused('coupon_not_found');
    const unlimited = {
      ...created,
      data: { ...created.data, maxRedemptions: null, expiresAt: null },
    } as CouponEvent;
    given(unlimited, redeemed)
      .when(redeem('red_2', '2099-01-01T00:00:00.000Z'))
      .then({ type: 'CouponRedeemed', data: { couponId, redemptionId: 'red_2', customerId } });
  });

  it('withdraws each redemption once', () => {
    const withdraw = { type: 'WithdrawRedemption', couponId, redemptionId: 'red_1' } as const;
    given(created, redeemed).when(withdraw).then(withdrawn);
    given(created, redeemed, withdrawn).when(withdraw).then();
    given(created, redeemed, withdrawn, redeemed).when(withdraw).then(withdrawn);
    const other: CouponEvent = {
      type: 'CouponRedemptionWithdrawn',
      data: { couponId, redemptionId: 'red_2' },
    };
    given(created, redeemed, withdrawn, other, redeemed)
      .when({ ...withdraw, redemptionId: 'red_2' })
      .then();
  });

  it('is not redeemed from its expiry on, nor once it is deactivated', () => {
    given(created).when(redeem('red_1', '2026-01-31T23:59:59.999Z')).then(redeemed);
    given(created).when(redeem('red_1', '2026-02-01T00:00:00.000Z')).refused('coupon_expired');
    given(created).when({ type: 'DeactivateCoupon', couponId }).then(deactivated);
    given(created, deactivated).when({ type: 'DeactivateCoupon', couponId }).then();
    given(created, deactivated).when(redeem()).refused('coupon_inactive');
    expect(given(created, redeemed, deactivated).state()).toMatchObject({
      ...details,
      redemptions: 1,
      active: false,
    });
  });
});
