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
import { Customers } from '#libs/contexts/customers';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery } from '../http/index.js';
import { ApplyCouponBody, RedemptionList, RedemptionView } from './coupon.dto.js';

/** Coupons that apply to the invoices of all subscriptions of a customer. A manual invoice gets a coupon only if the request names it. */
@ApiTags('Coupons')
@Controller('v1/customers/:id/coupons')
export class CustomerCouponsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: Customers,
    private readonly coupons: Coupons,
  ) {}

  @Post()
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary: 'Apply a coupon to a customer: the invoices of all its subscriptions get the discount',
    description:
      'A coupon for certain plans applies only to the invoices of subscriptions to those plans. Manual invoices and invoices for purchases ' +
      'of credits do not get the discount by themselves.',
  })
  @ApiCreatedResponse({ type: RedemptionView })
  async apply(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Body() { couponId }: ApplyCouponBody,
  ): Promise<RedemptionView> {
    await this.customers.require(context.workspaceId, customerId);
    const target = { customerId, subscription: null };
    return presentRedemption(await this.commands.execute(new ApplyCoupon(context, couponId, target)));
  }

  @Get()
  @RequiresPermission('customers:read')
  @ApiOperation({
    summary:
      'List the coupons of a customer and of its subscriptions, oldest first, including used-up ones, without removed ones',
    description:
      'Each redemption has the discount, how long it lasts, and the invoices on which it was used.',
  })
  @ApiOkResponse({ type: RedemptionList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ): Promise<RedemptionList> {
    await this.customers.require(workspaceId, customerId);
    const rows = await this.coupons.ofCustomer(workspaceId, customerId);
    return pageInMemory(
      page,
      { list: 'customer_coupons', rows, idOf: ({ redemptionId }) => redemptionId },
      presentRedemption,
    );
  }

  @Delete(':redemptionId')
  @HttpCode(204)
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary: 'Remove a coupon from a customer',
    description: 'Invoices that were already made keep their discount.',
  })
  @ApiNoContentResponse()
  async remove(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('redemptionId') redemptionId: string,
  ): Promise<void> {
    await this.customers.require(context.workspaceId, customerId);
    await this.commands.execute(
      new RemoveCoupon(context, redemptionId, { customerId, subscriptionId: null }),
    );
  }
}
