import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { couponDecider, type Coupon } from '../coupon.js';

/** Deactivates a coupon: nobody can redeem it any more, and customers who have it keep it. Throws NotFound if the coupon does not exist. */
export class DeactivateCoupon extends Command<Coupon> {
  constructor(
    readonly context: CommandContext,
    readonly couponId: string,
  ) {
    super();
  }
}

@CommandHandler(DeactivateCoupon)
export class DeactivateCouponHandler implements ICommandHandler<DeactivateCoupon> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, couponId }: DeactivateCoupon): Promise<Coupon> {
    const id = aggregateId(context.workspaceId, couponId);
    const command = { type: 'DeactivateCoupon', couponId } as const;
    return (await this.aggregates.execute(couponDecider, id, context, command)).state;
  }
}
