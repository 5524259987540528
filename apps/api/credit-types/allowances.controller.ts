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
import { ChangeCreditType, DEFAULT_BLOCK_PRIORITY, presentAllowance } from '#libs/contexts/credits';
import type { Principal } from '#libs/contexts/identity';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { CreditTypeQueries } from '#projections/credit-types';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery } from '../http/index.js';
import { AddAllowanceBody, AllowanceList, AllowanceView } from './allowance.dto.js';
import { CREDIT_TYPE_PARAM } from './credit-types.controller.js';

@ApiTags('Credit types')
@Controller('v1/credit-types/:type/allowances')
export class AllowancesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly creditTypes: CreditTypeQueries,
  ) {}

  @Post()
  @RequiresPermission('catalog:write')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiOperation({
    summary: 'Add an allowance: the credits that a plan includes',
    description:
      'A subscription that exists already gets the credits from its next billing period on, or at its next change. The credits expire at ' +
      'the end of their interval, except those that are carried over.',
  })
  @ApiCreatedResponse({ type: AllowanceView })
  async add(
    @Context() context: CommandContext,
    @Param('type') creditType: string,
    @Body()
    {
      planId,
      credits,
      every = 'period',
      priority = DEFAULT_BLOCK_PRIORITY,
      rollover = null,
      onPlanChange = 'prorated',
    }: AddAllowanceBody,
  ): Promise<AllowanceView> {
    const allowanceId = idFor(context, 'alw');
    const limits = rollover && { minimum: rollover.minimum ?? '0', maximum: rollover.maximum };
    const allowance = { allowanceId, planId, credits, every, priority, rollover: limits, onPlanChange };
    const change = { type: 'AddCreditAllowance', creditType, allowance } as const;
    const { allowances } = await this.commands.execute(new ChangeCreditType(context, change));
    // A repeated request must succeed, even if the allowance was removed after the first request.
    const added = allowances.find((one) => one.allowanceId === allowanceId);
    return presentAllowance(added ?? { ...allowance, createdAt: context.now });
  }

  @Get()
  @RequiresPermission('catalog:read')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiOperation({
    summary: 'List the allowances of a credit type, oldest first',
    description:
      'An allowance grants credits to the subscribers of a plan at the beginning of each interval.',
  })
  @ApiOkResponse({ type: AllowanceList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('type') type: string,
    @Query() page: PageQuery,
  ): Promise<AllowanceList> {
    const { allowances: rows } = await this.creditTypes.get(workspaceId, type);
    return pageInMemory(
      page,
      { list: 'credit_allowances', rows, idOf: ({ allowanceId }) => allowanceId },
      presentAllowance,
    );
  }

  @Delete(':allowanceId')
  @HttpCode(204)
  @RequiresPermission('catalog:write')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiParam({
    name: 'allowanceId',
    description: 'The id of the allowance.',
    example: 'alw_01JD0000000000000000000000',
  })
  @ApiOperation({
    summary:
      'Remove an allowance: no further credits are granted, and credits that were already granted stay until they expire',
    description: 'Subscriptions of the plan go on without the allowance.',
  })
  @ApiNoContentResponse()
  async remove(
    @Context() context: CommandContext,
    @Param('type') creditType: string,
    @Param('allowanceId') allowanceId: string,
  ): Promise<void> {
    await this.commands.execute(
      new ChangeCreditType(context, { type: 'RemoveCreditAllowance', creditType, allowanceId }),
    );
  }
}
