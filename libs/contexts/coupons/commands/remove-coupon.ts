import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { customerCouponsDecider } from '../customer-coupons.js';

/**
 * Removes a coupon from a customer or from one of the customer's subscriptions. The coupon discounts no further invoice, but its number of
 * redemptions stays. Throws NotFound if the customer or subscription does not have the coupon.
 */
export class RemoveCoupon extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly redemptionId: string,
    readonly from: { readonly customerId: string; readonly subscriptionId: string | null },
  ) {
    super();
  }
}

@CommandHandler(RemoveCoupon)
export class RemoveCouponHandler implements ICommandHandler<RemoveCoupon> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, redemptionId, from }: RemoveCoupon): Promise<void> {
    const id = aggregateId(context.workspaceId, from.customerId);
    const command = { type: 'RemoveCoupon', at: context.now, redemptionId, ...from } as const;
    await this.aggregates.execute(customerCouponsDecider, id, context, command);
  }
}
