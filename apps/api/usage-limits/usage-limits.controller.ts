import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Principal } from '#libs/contexts/identity';
import { ChangeUsageLimit, CreateUsageLimit, presentUsageLimit } from '#libs/contexts/usage-limits';
import type { CommandContext } from '#libs/kernel/event-store';
import { UsageLimitQueries } from '#projections/usage-limits';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage } from '../http/index.js';
import {
  CreateUsageLimitBody,
  UpdateUsageLimitBody,
  UsageLimitList,
  UsageLimitQuery,
  UsageLimitView,
} from './usage-limit.dto.js';

@ApiTags('Usage limits')
@Controller('v1/usage-limits')
export class UsageLimitsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly limits: UsageLimitQueries,
  ) {}

  @Post()
  @RequiresPermission('usage_limits:write')
  @ApiOperation({
    summary: 'Create a limit on the quantity of a metric that customers may use',
    description:
      'Usage that is already stored counts towards the limit. The new limit applies to all usage that arrives after the response. The ' +
      'time of an event decides in which span of time it is counted.',
  })
  @ApiCreatedResponse({ type: UsageLimitView })
  async create(
    @Context() context: CommandContext,
    @Body() body: CreateUsageLimitBody,
  ): Promise<UsageLimitView> {
    const { customerId = null, warnAt = [], ...rest } = body;
    return presentUsageLimit(
      await this.commands.execute(new CreateUsageLimit(context, { ...rest, customerId, warnAt })),
    );
  }

  @Get()
  @RequiresPermission('usage_limits:read')
  @ApiOperation({
    summary: 'List usage limits, oldest first',
    description: 'A limit is on one metric, for one customer or for each customer of the workspace.',
  })
  @ApiOkResponse({ type: UsageLimitList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { customerId, metricId, ...page }: UsageLimitQuery,
  ): Promise<UsageLimitList> {
    const filter = {
      ...(customerId === undefined ? {} : { customerId }),
      ...(metricId === undefined ? {} : { metricId }),
    };
    return readPage(
      page,
      this.limits.listOrder,
      (part) => this.limits.list(workspaceId, part, filter),
      ({ shown }) => presentUsageLimit(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('usage_limits:read')
  @ApiOperation({
    summary: 'Get a usage limit',
    description:
      'The response has the largest quantity, its span of time, and what happens to usage beyond it.',
  })
  @ApiOkResponse({ type: UsageLimitView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<UsageLimitView> {
    return presentUsageLimit(await this.limits.get(workspaceId, id));
  }

  @Patch(':id')
  @RequiresPermission('usage_limits:write')
  @ApiOperation({
    summary: 'Change the given fields of a usage limit',
    description:
      'The changed limit applies to all usage that arrives after the response. If the webhook of a ' +
      'threshold was already sent in a time span, it is not sent again in the same time span.',
  })
  @ApiOkResponse({ type: UsageLimitView })
  async update(
    @Context() context: CommandContext,
    @Param('id') limitId: string,
    @Body() changes: UpdateUsageLimitBody,
  ): Promise<UsageLimitView> {
    const change = { type: 'UpdateUsageLimit', limitId, changes: { ...changes } } as const;
    return presentUsageLimit(await this.commands.execute(new ChangeUsageLimit(context, change)));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('usage_limits:write')
  @ApiOperation({
    summary: 'Delete a usage limit',
    description: 'Usage from now on is no longer limited by it.',
  })
  @ApiNoContentResponse()
  async remove(@Context() context: CommandContext, @Param('id') limitId: string): Promise<void> {
    await this.commands.execute(new ChangeUsageLimit(context, { type: 'DeleteUsageLimit', limitId }));
  }
}
