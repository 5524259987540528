import { Injectable } from '@nestjs/common';
import { InvalidRequest, StateConflict, type Instant } from '#libs/kernel/core';
import { AggregateStore, followUpContext, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import type { CouponInvoice } from '#libs/rating';
import { couponDecider, requireCoupon, type Coupon } from './coupon.js';
import {
  customerCouponsDecider,
  initialState,
  usableCoupons,
  type CustomerCoupon,
  type CustomerCouponsCommand,
  type UsableCustomerCoupon,
} from './customer-coupons.js';

/**
 * Reads coupons and records their uses, for the commands of other contexts. Coupons are read from their streams, never from a read model.
 */
@Injectable()
export class Coupons {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the coupon. Throws NotFound if no coupon has this id. */
  async require(workspaceId: string, couponId: string): Promise<Coupon> {
    const coupon = await this.aggregates.load(couponDecider, aggregateId(workspaceId, couponId));
    return requireCoupon(couponId, coupon);
  }

  /**
   * Throws InvalidRequest if the coupon is not for the plan `planId`. If `planId` is null, the plan is not checked. Throws NotFound if the
   * coupon does not exist.
   */
  async requireApplicableToPlan(workspaceId: string, couponId: string, planId: string | null): Promise<void> {
    const coupon = await this.require(workspaceId, couponId);
    if (planId !== null && coupon.planIds !== null && !coupon.planIds.includes(planId))
      throw new StateConflict(
        'coupon_of_other_plans',
        `The coupon "${couponId}" is for other plans than "${planId}": ${coupon.planIds.join(', ')}`,
      );
  }

  /** Returns the coupons that a customer has, without removed ones, in the order in which the customer got them. */
  async ofCustomer(workspaceId: string, customerId: string): Promise<CustomerCoupon[]> {
    return (await this.all(workspaceId, customerId)).filter(({ removedAt }) => removedAt === null);
  }

  /** Tells whether the customer has or had any coupon. */
  async hasHadCoupons(workspaceId: string, customerId: string): Promise<boolean> {
    return (await this.all(workspaceId, customerId)).length > 0;
  }

  /** Tells whether a redemption was applied to the customer, even if it was removed again. */
  async wasApplied(workspaceId: string, customerId: string, redemptionId: string): Promise<boolean> {
    return (await this.all(workspaceId, customerId)).some((one) => one.redemptionId === redemptionId);
  }

  /**
   * Returns the redemption id with which a command redeems a coupon. `applied` is the coupon that the customer already has under this
   * redemption id, if any. If a command is repeated after its redemption was removed or withdrawn, the repeated command gets a new
   * redemption id.
   */
  async redemptionOfCommand(
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

  /**
   * Returns the customer's coupons that may discount the invoice, in the order in which the customer got them. The plans and prices of the
   * coupons are not checked. If `asOf` is given, the coupons and their uses are those of that instant.
   */
  async findUsableOnInvoice(
    workspaceId: string,
    customerId: string,
    invoice: CouponInvoice,
    asOf?: Instant,
  ): Promise<UsableCustomerCoupon[]> {
    return usableCoupons(await this.all(workspaceId, customerId, asOf), invoice);
  }

  /**
   * Records the use of these coupons on an invoice. A repeated call changes nothing. If one of the coupons has no use left or was removed,
   * none is used and the result is false.
   */
  async useCoupons(
    context: CommandContext,
    customerId: string,
    invoice: CouponInvoice,
    redemptionIds: readonly string[],
  ): Promise<boolean> {
    if (redemptionIds.length === 0) return true;
    try {
      await this.execute(context, { type: 'UseCoupons', customerId, invoice, redemptionIds });
      return true;
    } catch (error) {
      if (error instanceof InvalidRequest) return false;
      throw error;
    }
  }

  /** Gives back the coupon uses of an invoice, so that the coupons can be used again. The uses of the redemptions in `kept` stay. */
  async returnUses(
    context: CommandContext,
    customerId: string,
    invoiceId: string,
    kept: readonly string[] = [],
  ): Promise<void> {
    await this.execute(
      followUpContext(context, `return coupons of ${invoiceId}${kept.map((id) => ` ${id}`).join('')}`),
      { type: 'ReturnUses', customerId, invoiceId, kept },
    );
  }

  /** Removes a coupon from the customer and withdraws its redemption, as if the coupon had never been applied. */
  async undoApplication(context: CommandContext, customerId: string, coupon: CustomerCoupon): Promise<void> {
    const { couponId, redemptionId, subscriptionId } = coupon;
    await this.execute(followUpContext(context, `take back ${redemptionId}`), {
      type: 'RemoveCoupon',
      at: context.now,
      customerId,
      redemptionId,
      subscriptionId,
    } as const);
    await this.withdrawRedemption(context, couponId, redemptionId);
  }

  /** Subtracts a redemption from the coupon's number of redemptions. */
  async withdrawRedemption(context: CommandContext, couponId: string, redemptionId: string): Promise<void> {
    await this.aggregates.execute(
      couponDecider,
      aggregateId(context.workspaceId, couponId),
      followUpContext(context, `withdraw ${redemptionId}`),
      { type: 'WithdrawRedemption', couponId, redemptionId },
    );
  }

  private async all(workspaceId: string, customerId: string, asOf?: Instant): Promise<CustomerCoupon[]> {
    const id = aggregateId(workspaceId, customerId);
    const state =
      asOf === undefined
        ? await this.aggregates.load(customerCouponsDecider, id)
        : await this.aggregates.loadAsOf(customerCouponsDecider, id, asOf);
    return (state ?? initialState).redemptions;
  }

  private async execute(context: CommandContext, command: CustomerCouponsCommand): Promise<void> {
    const id = aggregateId(context.workspaceId, command.customerId);
    await this.aggregates.execute(customerCouponsDecider, id, context, command);
  }
}
