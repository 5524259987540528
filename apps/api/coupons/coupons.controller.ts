import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CreateCoupon, DeactivateCoupon, presentCoupon } from '#libs/contexts/coupons';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { CouponQueries } from '#projections/coupons';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery } from '../http/index.js';
import { CouponList, readCouponDetails, CouponView, CreateCouponBody } from './coupon.dto.js';

@ApiTags('Coupons')
@Controller('v1/coupons')
export class CouponsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly coupons: CouponQueries,
  ) {}

  @Post()
  @RequiresPermission('billing:write')
  @ApiOperation({
    summary: 'Create a coupon',
    description:
      'The id of the coupon is the code that customers redeem. A coupon takes off either a percentage or an amount in one ' +
      'currency.',
  })
  @ApiCreatedResponse({ type: CouponView })
  async create(@Context() context: CommandContext, @Body() body: CreateCouponBody): Promise<CouponView> {
    return presentCoupon(
      await this.commands.execute(new CreateCoupon(context, readCouponDetails(body), body.id)),
    );
  }

  @Get()
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'List coupons, oldest first',
    description: 'Deactivated and expired coupons are included.',
  })
  @ApiOkResponse({ type: CouponList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<CouponList> {
    return readPage(
      page,
      this.coupons.listOrder,
      (part) => this.coupons.list(workspaceId, part),
      ({ shown }) => presentCoupon(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'Get a coupon',
    description: 'The response has the discount, how long it lasts, and how often the coupon was redeemed.',
  })
  @ApiOkResponse({ type: CouponView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<CouponView> {
    return presentCoupon(await this.coupons.get(workspaceId, id));
  }

  @Post(':id/deactivate')
  @HttpCode(200)
  @RequiresPermission('billing:write')
  @ApiOperation({
    summary:
      'Deactivate a coupon: nobody can redeem it any more, but customers who already have the coupon keep it',
    description: 'If the coupon is not active, nothing changes.',
  })
  @ApiOkResponse({ type: CouponView })
  async deactivate(@Context() context: CommandContext, @Param('id') id: string): Promise<CouponView> {
    return presentCoupon(await this.commands.execute(new DeactivateCoupon(context, id)));
  }
}
