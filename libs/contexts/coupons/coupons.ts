import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '#libs/kernel/core';
import { AggregateStore, follow, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { couponDecider, requireCoupon, type Coupon } from './coupon.js';
import {
  customerCouponsDecider,
  usableCoupons,
  type CustomerCoupon,
  type CustomerCouponsCommand,
} from './customer-coupons.js';

/** Coupons as the other contexts' commands see them: read from their streams, never from a read model. */
@Injectable()
export class Coupons {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The coupon; NotFound if there is none. */
  async require(workspaceId: string, couponId: string): Promise<Coupon> {
    const coupon = await this.aggregates.load(couponDecider, aggregateId(workspaceId, couponId));
    return requireCoupon(couponId, coupon);
  }

  /** Refuses a coupon that is for other plans than this one; NotFound if there is none. */
  async requireOfPlan(workspaceId: string, couponId: string, planId: string | null): Promise<void> {
    const coupon = await this.require(workspaceId, couponId);
    if (planId !== null && coupon.planIds !== null && !coupon.planIds.includes(planId))
      throw new InvalidRequest(
        'coupon_of_other_plans',
        `The coupon "${couponId}" is for other plans than "${planId}": ${coupon.planIds.join(', ')}`,
      );
  }

  /** The coupons that the customer has, in the order in which it got them; those that were removed are left out. */
  async ofCustomer(workspaceId: string, customerId: string): Promise<CustomerCoupon[]> {
    return (await this.all(workspaceId, customerId)).filter(({ removedAt }) => removedAt === null);
  }

  /**
   * The id under which a command redeems a coupon, and what the customer has of it under that id already. What was removed, or came to
   * nothing, is over: a command that is sent again then redeems anew.
   */
  async redemptionOf(
    context: CommandContext,
    customerId: string,
    couponId: string,
  ): Promise<{ redemptionId: string; applied: CustomerCoupon | undefined }> {
    const { workspaceId } = context;
    const redemptions = await this.all(workspaceId, customerId);
    const coupon = await this.aggregates.load(couponDecider, aggregateId(workspaceId, couponId));
    for (let time = 0; ; time++) {
      const redemptionId = idFor(context, 'red', couponId, ...(time === 0 ? [] : [String(time)]));
      const known = redemptions.find((one) => one.redemptionId === redemptionId);
      if (known?.removedAt === null) return { redemptionId, applied: known };
      if (!known && !coupon?.withdrawn.includes(redemptionId)) return { redemptionId, applied: undefined };
    }
  }

  /** Those that may take something off an invoice of these bills, which are of one customer, in that order. */
  async usableOn(
    workspaceId: string,
    bills: readonly { customerId: string; subscriptionId: string; invoiceId: string }[],
  ): Promise<CustomerCoupon[]> {
    return usableCoupons(await this.all(workspaceId, bills[0]!.customerId), bills);
  }

  /** Uses these on an invoice, again if they were before. False, and none is used, if one has no use left by now. */
  async use(
    context: CommandContext,
    customerId: string,
    invoiceId: string,
    redemptionIds: readonly string[],
  ): Promise<boolean> {
    if (redemptionIds.length === 0) return true;
    try {
      await this.execute(context, { type: 'UseCoupons', customerId, invoiceId, redemptionIds });
      return true;
    } catch (error) {
      if (error instanceof InvalidRequest) return false;
      throw error;
    }
  }

  /** Gives back what was used on an invoice. */
  async returnUses(context: CommandContext, customerId: string, invoiceId: string): Promise<void> {
    await this.execute(follow(context, `return coupons of ${invoiceId}`), {
      type: 'ReturnUses',
      customerId,
      invoiceId,
    });
  }

  /** Undoes an application that came to nothing, as if it had never been. */
  async takeBack(context: CommandContext, customerId: string, coupon: CustomerCoupon): Promise<void> {
    const { couponId, redemptionId, subscriptionId } = coupon;
    await this.execute(follow(context, `take back ${redemptionId}`), {
      ...{ type: 'RemoveCoupon', at: context.now },
      ...{ customerId, redemptionId, subscriptionId },
    } as const);
    await this.withdraw(context, couponId, redemptionId);
  }

  /** Uncounts a redemption. */
  async withdraw(context: CommandContext, couponId: string, redemptionId: string): Promise<void> {
    await this.aggregates.execute(
      couponDecider,
      aggregateId(context.workspaceId, couponId),
      follow(context, `withdraw ${redemptionId}`),
      { type: 'WithdrawRedemption', couponId, redemptionId },
    );
  }

  private async all(workspaceId: string, customerId: string): Promise<CustomerCoupon[]> {
    const known = await this.aggregates.load(customerCouponsDecider, aggregateId(workspaceId, customerId));
    return known?.redemptions ?? [];
  }

  private async execute(context: CommandContext, command: CustomerCouponsCommand): Promise<void> {
    const id = aggregateId(context.workspaceId, command.customerId);
    await this.aggregates.execute(customerCouponsDecider, id, context, command);
  }
}
