import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Catalog } from '#libs/contexts/catalog';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { couponDecider, type Coupon } from '../coupon.js';
import type { CouponDetails } from '../events.js';

/**
 * Creates a coupon with the caller's id, or with a generated one. Throws NotFound for plans and prices that are not in the workspace, and
 * for deleted plans. A deleted price is accepted. Throws InvalidRequest for an expiry in the past. Throws Conflict if the id is taken.
 */
export class CreateCoupon extends Command<Coupon> {
  constructor(
    readonly context: CommandContext,
    readonly details: Omit<CouponDetails, 'couponId'>,
    readonly couponId?: string,
  ) {
    super();
  }
}

@CommandHandler(CreateCoupon)
export class CreateCouponHandler implements ICommandHandler<CreateCoupon> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly catalog: Catalog,
  ) {}

  async execute({ context, details, couponId = idFor(context, 'coupon') }: CreateCoupon): Promise<Coupon> {
    const { workspaceId, now: at } = context;
    const id = aggregateId(workspaceId, couponId);
    const repeated = await this.aggregates.findRepeated(couponDecider, id, context);
    if (repeated) return repeated;
    for (const planId of details.planIds ?? []) await this.catalog.requirePlan(workspaceId, planId);
    for (const priceId of details.priceIds ?? []) await this.catalog.priceVersion(workspaceId, priceId, 1);
    const command = { type: 'CreateCoupon', at, details: { couponId, ...details } } as const;
    return (await this.aggregates.execute(couponDecider, id, context, command)).state;
  }
}
