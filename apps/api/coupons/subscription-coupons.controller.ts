import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApplyCoupon, Coupons, presentRedemption, RemoveCoupon } from '#libs/contexts/coupons';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { requireNotEnded, Subscriptions } from '#libs/contexts/subscriptions';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery } from '../http/index.js';
import { ApplyCouponBody, RedemptionList, RedemptionView } from './coupon.dto.js';

/** Coupons that apply only to the invoices of one subscription. */
@ApiTags('Coupons')
@Controller('v1/subscriptions/:id/coupons')
export class SubscriptionCouponsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: Subscriptions,
    private readonly coupons: Coupons,
  ) {}

  @Post()
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Apply a coupon to a subscription, from its next invoice on',
    description:
      'A coupon that is applied to the subscription already is refused, unless it was removed there before.',
  })
  @ApiCreatedResponse({ type: RedemptionView })
  async apply(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() { couponId }: ApplyCouponBody,
  ): Promise<RedemptionView> {
    const subscription = await this.subscriptions.require(context.workspaceId, id);
    requireNotEnded(subscription);
    const { customerId, subscriptionId, planId } = subscription;
    const target = { customerId, subscription: { subscriptionId, planId } };
    return presentRedemption(await this.commands.execute(new ApplyCoupon(context, couponId, target)));
  }

  @Get()
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'List the coupons of a subscription, oldest first, including used-up ones, without removed ones',
    description:
      'Each redemption has the discount, how long it lasts, and the invoices on which it was used. Coupons of the customer ' +
      'are not included.',
  })
  @ApiOkResponse({ type: RedemptionList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() page: PageQuery,
  ): Promise<RedemptionList> {
    const { customerId, subscriptionId } = await this.subscriptions.require(workspaceId, id);
    const coupons = await this.coupons.ofCustomer(workspaceId, customerId);
    const rows = coupons.filter((one) => one.subscriptionId === subscriptionId);
    return pageInMemory(
      page,
      { list: 'subscription_coupons', rows, idOf: ({ redemptionId }) => redemptionId },
      presentRedemption,
    );
  }

  @Delete(':redemptionId')
  @HttpCode(204)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Remove a coupon from a subscription',
    description: 'Invoices that were already made keep their discount.',
  })
  @ApiNoContentResponse()
  async remove(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Param('redemptionId') redemptionId: string,
  ): Promise<void> {
    const { customerId, subscriptionId } = await this.subscriptions.require(context.workspaceId, id);
    await this.commands.execute(new RemoveCoupon(context, redemptionId, { customerId, subscriptionId }));
  }
}
