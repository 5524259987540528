import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { ChangeCreditType, presentRate, readRateGroups } from '#libs/contexts/credits';
import type { Principal } from '#libs/contexts/identity';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { CreditTypeQueries } from '#projections/credit-types';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery } from '../http/index.js';
import { CREDIT_TYPE_PARAM } from './credit-types.controller.js';
import { AddRateBody, RateList, RateView } from './rate.dto.js';

@ApiTags('Credit types')
@Controller('v1/credit-types/:type/rates')
export class RatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly creditTypes: CreditTypeQueries,
  ) {}

  @Post()
  @RequiresPermission('catalog:write')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiOperation({
    summary: 'Add a rate: the cost of one unit of a metric in credits',
    description: 'A rate never changes. To change the cost, add another rate, which ends the rate before it.',
  })
  @ApiCreatedResponse({ type: RateView })
  async add(
    @Context() context: CommandContext,
    @Param('type') creditType: string,
    @Body() body: AddRateBody,
  ): Promise<RateView> {
    const { metricId, creditsPerUnit, groups = [], effectiveAt = context.now } = body;
    const rateId = idFor(context, 'rate');
    const rate = { rateId, metricId, creditsPerUnit, groups: readRateGroups(groups), effectiveAt };
    const change = { type: 'AddCreditRate', creditType, rate } as const;
    const state = await this.commands.execute(new ChangeCreditType(context, change));
    // A repeated request must succeed, even if the rate was removed after the first request.
    const added = state.rates.find((one) => one.rateId === rateId);
    return presentRate(state, added ?? { ...rate, createdAt: context.now });
  }

  @Get()
  @RequiresPermission('catalog:read')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiOperation({
    summary: 'List the rates of a credit type, oldest first',
    description: 'A rate says how many credits a unit of a metric costs, from `effectiveAt` on.',
  })
  @ApiOkResponse({ type: RateList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('type') type: string,
    @Query() page: PageQuery,
  ): Promise<RateList> {
    const creditType = await this.creditTypes.get(workspaceId, type);
    const { rates: rows } = creditType;
    return pageInMemory(page, { list: 'credit_rates', rows, idOf: ({ rateId }) => rateId }, (rate) =>
      presentRate(creditType, rate),
    );
  }

  @Delete(':rateId')
  @HttpCode(204)
  @RequiresPermission('catalog:write')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiParam({
    name: 'rateId',
    description: 'The id of the rate.',
    example: 'rate_01JD0000000000000000000000',
  })
  @ApiOperation({
    summary: 'Remove a rate',
    description:
      'The rate does not apply to usage after the removal. If the metric has an earlier rate, the earlier rate applies again.',
  })
  @ApiNoContentResponse()
  async remove(
    @Context() context: CommandContext,
    @Param('type') creditType: string,
    @Param('rateId') rateId: string,
  ): Promise<void> {
    await this.commands.execute(
      new ChangeCreditType(context, { type: 'RemoveCreditRate', creditType, rateId }),
    );
  }
}
