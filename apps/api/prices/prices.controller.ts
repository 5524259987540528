import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  CreatePrice,
  currentPriceVersion,
  DeletePrice,
  presentPrice,
  readPriceChanges,
  readPriceConfig,
  UpdatePrice,
} from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import { Conflict } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { evaluatePrice, type PriceConfig } from '#libs/rating';
import { PriceQueries } from '#projections/prices';
import { SubscriptionQueries } from '#projections/subscriptions';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery, WithoutCommand } from '../http/index.js';
import { EvaluatedPriceView, EvaluatePriceBody } from './evaluate-price.dto.js';
import { presentEvaluatedPrice, readUsageToEvaluate } from './evaluate-price.js';
import { CreatePriceBody, PriceList, PriceView, UpdatePriceBody } from './price.dto.js';

@ApiTags('Prices')
@Controller('v1/prices')
export class PricesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly prices: PriceQueries,
    private readonly subscriptions: SubscriptionQueries,
  ) {}

  @Post()
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Create a price',
    description:
      'A price has one pricing model, one currency and one cadence. A price with a metric charges for usage, and another one ' +
      'is a fee.',
  })
  @ApiCreatedResponse({ type: PriceView })
  async create(@Context() context: CommandContext, @Body() body: CreatePriceBody): Promise<PriceView> {
    return presentPrice(await this.commands.execute(new CreatePrice(context, body)));
  }

  @Post('evaluate')
  @HttpCode(200)
  @WithoutCommand()
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary: 'Try a price on a quantity and get the amount with its tiers, without storing anything',
    description:
      'Computes the cost of this usage in a whole period, with the same code that computes invoices.',
  })
  @ApiOkResponse({ type: EvaluatedPriceView })
  async evaluate(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Body() body: EvaluatePriceBody,
  ): Promise<EvaluatedPriceView> {
    const config = await this.configOf(workspaceId, body);
    return presentEvaluatedPrice(evaluatePrice(config, readUsageToEvaluate(body, config)));
  }

  @Get()
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary: 'List prices, oldest first',
    description: 'Each price is shown in its present version.',
  })
  @ApiOkResponse({ type: PriceList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<PriceList> {
    return readPage(
      page,
      this.prices.listOrder,
      (part) => this.prices.list(workspaceId, part),
      ({ shown }) => presentPrice(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('catalog:read')
  @ApiOperation({ summary: 'Get a price', description: 'The price is shown in its present version.' })
  @ApiOkResponse({ type: PriceView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<PriceView> {
    return presentPrice(await this.prices.get(workspaceId, id));
  }

  @Patch(':id')
  @RequiresPermission('catalog:write')
  @MayNeedApproval('price.lower')
  @ApiOperation({
    summary: 'Change a price, which makes a new version for new subscriptions',
    description:
      'A `cadence` is refused if it would make the billing interval of a plan longer than the interval of its minimum commitment.',
  })
  @ApiOkResponse({ type: PriceView })
  async update(
    @Context() context: CommandContext,
    @Param('id') priceId: string,
    @Body() body: UpdatePriceBody,
  ): Promise<PriceView> {
    return presentPrice(
      await this.commands.execute(new UpdatePrice(context, priceId, readPriceChanges(body))),
    );
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Delete a price that is no longer used by any plan or subscription',
    description: 'Otherwise the deletion is refused with 409 (`price_in_use`).',
  })
  @ApiNoContentResponse()
  async delete(@Context() context: CommandContext, @Param('id') priceId: string): Promise<void> {
    // This check is not exact: the read model possibly lacks a subscription that begins now. Such a subscription keeps its version.
    const live = await this.subscriptions.oldestLiveIdsOf(context.workspaceId, { priceId }, 10);
    if (live.length > 0)
      throw new Conflict(
        'price_in_use',
        `Price "${priceId}" is charged by subscriptions that have not ended (${live.join(', ')}); take it out of them first`,
      );
    await this.commands.execute(new DeletePrice(context, priceId));
  }

  /** Returns the price config to try: the config in the request, or the config of the newest version of a price. */
  private async configOf(workspaceId: string, { config, priceId }: EvaluatePriceBody): Promise<PriceConfig> {
    if (config === undefined && priceId === undefined)
      throw InvalidRequest.field('config', 'is required if there is no priceId');
    if (config !== undefined && priceId !== undefined)
      throw InvalidRequest.field('config', 'must not be given beside priceId; give only one of them');
    if (priceId === undefined) return readPriceConfig(config);
    return currentPriceVersion(await this.prices.get(workspaceId, priceId)).config;
  }
}
