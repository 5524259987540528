import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  ChangePlan,
  CreatePlan,
  presentPlan,
  presentPlanVersion,
  RestorePlanVersion,
  UpdatePlan,
} from '#libs/contexts/catalog';
import { Conflict, InvalidRequest } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { PlanQueries } from '#projections/plans';
import { SubscriptionQueries } from '#projections/subscriptions';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, readPage, PageQuery } from '../http/index.js';
import {
  CreatePlanBody,
  PlanFeatureView,
  PlanList,
  PlanPriceView,
  PlanVersionList,
  PlanView,
  UpdatePlanBody,
} from './plan.dto.js';

@ApiTags('Plans')
@ApiExtraModels(PlanPriceView, PlanFeatureView)
@Controller('v1/plans')
export class PlansController {
  constructor(
    private readonly commands: CommandBus,
    private readonly plans: PlanQueries,
    private readonly subscriptions: SubscriptionQueries,
  ) {}

  @Post()
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Create a plan, whose version 1 is published at once',
    description:
      'A plan bundles prices with features, a trial and a minimum commitment. Every price must exist in the workspace.',
  })
  @ApiCreatedResponse({ type: PlanView })
  async create(@Context() context: CommandContext, @Body() body: CreatePlanBody): Promise<PlanView> {
    return presentPlan(await this.commands.execute(new CreatePlan(context, body)));
  }

  @Get()
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary: 'List plans, oldest first',
    description: 'Each plan has its versions that count now: the published one, and a draft if there is one.',
  })
  @ApiOkResponse({ type: PlanList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<PlanList> {
    return readPage(
      page,
      this.plans.listOrder,
      (part) => this.plans.list(workspaceId, part),
      ({ shown }) => presentPlan(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary: 'Get a plan',
    description: '`GET /v1/plans/{id}/versions` has its earlier versions.',
  })
  @ApiOkResponse({ type: PlanView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<PlanView> {
    return presentPlan(await this.plans.get(workspaceId, id));
  }

  @Patch(':id')
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Change a plan: if anything changes, a new version is made as a draft, to be published',
    description:
      'A field that is left out keeps its value. Subscriptions keep the version that they have until they are migrated.',
  })
  @ApiOkResponse({ type: PlanView })
  async update(
    @Context() context: CommandContext,
    @Param('id') planId: string,
    @Body() body: UpdatePlanBody,
  ): Promise<PlanView> {
    return presentPlan(await this.commands.execute(new UpdatePlan(context, planId, body)));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Delete a plan whose subscriptions have all ended',
    description: 'Otherwise the deletion is refused with 409.',
  })
  @ApiNoContentResponse()
  async delete(@Context() context: CommandContext, @Param('id') planId: string): Promise<void> {
    // This check is not exact: the read model possibly lacks a subscription that begins now. Such a subscription continues as agreed.
    const live = await this.subscriptions.oldestLiveIdsOf(context.workspaceId, { planId }, 10);
    if (live.length > 0)
      throw new Conflict(
        'plan_in_use',
        `Plan "${planId}" has subscriptions that have not ended (${live.join(', ')}); move them to another plan or cancel them first`,
      );
    await this.commands.execute(new ChangePlan(context, { type: 'DeletePlan', planId }));
  }

  @Get(':id/versions')
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary:
      'List the versions of a plan, oldest first, each with its differences from the version from which it was edited',
    description:
      'Prices and features that differ are listed as added, removed or changed. Other fields have the values before and ' +
      'after.',
  })
  @ApiOkResponse({ type: PlanVersionList })
  async versions(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() page: PageQuery,
  ): Promise<PlanVersionList> {
    const plan = await this.plans.get(workspaceId, id);
    const versions = {
      list: 'plan_versions',
      rows: plan.versions,
      idOf: ({ version }: { version: number }) => String(version),
    };
    return pageInMemory(page, versions, (version) => presentPlanVersion(plan, version));
  }

  @Post(':id/publish')
  @HttpCode(200)
  @RequiresPermission('catalog:write')
  @MayNeedApproval('price.lower')
  @ApiOperation({
    summary: 'Publish the draft version of a plan, so that new subscriptions get the version',
    description:
      'Existing subscriptions keep their version until they are migrated. If the plan has no draft, nothing changes.',
  })
  @ApiOkResponse({ type: PlanView })
  async publish(@Context() context: CommandContext, @Param('id') planId: string): Promise<PlanView> {
    const change = { type: 'PublishPlan', at: context.now, planId } as const;
    return presentPlan(await this.commands.execute(new ChangePlan(context, change)));
  }

  @Post(':id/versions/:version/restore')
  @HttpCode(200)
  @RequiresPermission('catalog:write')
  @MayNeedApproval('price.lower')
  @ApiOperation({
    summary: 'Publish an earlier version of a plan again; a draft is discarded',
    description:
      'The version keeps its number. Existing subscriptions keep their version until they are migrated.',
  })
  @ApiOkResponse({ type: PlanView })
  async restore(
    @Context() context: CommandContext,
    @Param('id') planId: string,
    @Param('version') version: string,
  ): Promise<PlanView> {
    if (!/^[1-9]\d{0,8}$/.test(version))
      throw InvalidRequest.field('version', 'must be a whole number from 1');
    return presentPlan(await this.commands.execute(new RestorePlanVersion(context, planId, Number(version))));
  }
}
