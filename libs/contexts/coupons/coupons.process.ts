import { Injectable } from '@nestjs/common';
import { addSeconds } from '#libs/kernel/core';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { Coupons } from './coupons.js';
import type { CouponEvent } from './events.js';

interface Tasks {
  'withdraw-unapplied': { couponId: string; redemptionId: string; customerId: string };
}

/** The time, in seconds, after which a redeemed coupon should have been applied to its customer. */
const APPLIED_SECONDS = 600;

/**
 * Withdraws redemptions of coupons that were never applied. The process that redeems a coupon also applies it. If that process crashes in
 * between, the redemption would count forever although nobody has the coupon.
 */
@Injectable()
export class CouponsProcess extends ProcessManager<Tasks> {
  readonly name = 'coupons';

  constructor(
    clock: WorkspaceClock,
    private readonly coupons: Coupons,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<CouponEvent, Tasks>({
    CouponRedeemed: ({ data: { couponId, redemptionId, customerId }, metadata: { occurredAt } }) => [
      {
        name: 'withdraw-unapplied',
        payload: { couponId, redemptionId, customerId },
        dueAt: addSeconds(occurredAt, APPLIED_SECONDS),
      },
    ],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'withdraw-unapplied': async ({ couponId, redemptionId, customerId }, context) => {
      if (await this.coupons.wasApplied(context.workspaceId, customerId, redemptionId)) return;
      await this.coupons.withdrawRedemption(context, couponId, redemptionId);
    },
  };
}
