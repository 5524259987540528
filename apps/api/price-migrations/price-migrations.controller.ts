import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import {
  CancelPriceMigration,
  presentEffects,
  presentMigration,
  presentMigrationSummary,
  presentMoveOutcome,
  SchedulePriceMigration,
} from '#libs/contexts/price-migrations';
import { readPriceMap } from '#libs/contexts/subscriptions';
import { CustomerQueries } from '#projections/customers';
import { PriceMigrationQueries } from '#projections/price-migrations';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery, PERIOD_END, TakesLong } from '../http/index.js';
import { MigrationPreviewer } from './migration-previewer.js';
import {
  MigrationOutcomeList,
  MigrationOutcomeQuery,
  MigrationPreviewView,
  PreviewPriceMigrationBody,
  PriceMigrationList,
  PriceMigrationView,
  SchedulePriceMigrationBody,
} from './price-migration.dto.js';

@ApiTags('Price migrations')
@Controller('v1/price-migrations')
export class PriceMigrationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly previews: MigrationPreviewer,
    private readonly queries: PriceMigrationQueries,
    private readonly customers: CustomerQueries,
  ) {}

  @Post('preview')
  @TakesLong()
  @HttpCode(200)
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary:
      'Preview a move of customers to another plan, now or at the end of their periods; nothing is changed',
    description:
      'The amounts are for fees only, because the cost of future usage is not known. A preview of more than 10,000 subscriptions is ' +
      'refused with `too_many_subscriptions`.',
  })
  @ApiOkResponse({ type: MigrationPreviewView })
  async preview(
    @Context() context: CommandContext,
    @Body() body: PreviewPriceMigrationBody,
  ): Promise<MigrationPreviewView> {
    const { customerIds = null, effectiveAt, priceMap, ...plans } = body;
    const atPeriodEnd = effectiveAt === PERIOD_END;
    if (customerIds) await this.customers.requireAll(context.workspaceId, customerIds);
    const { effects, totals } = await this.previews.preview(
      context,
      { ...plans, customerIds, priceMap: readPriceMap(priceMap ?? {}) },
      { atPeriodEnd },
    );
    return presentEffects(effects, totals);
  }

  @Post()
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Schedule a move of customers to another plan, at an instant or at the end of their periods',
    description:
      'The prices of the new plan replace the prices of the old plan. Prices that were added to a subscription stay, and prices that were ' +
      'removed from it stay away. The units of a fee that ends go to the fee that takes its place. ' +
      'If a period, a trial or a pause ends at the time of the move, one invoice at the new prices replaces the renewal invoice. With ' +
      '`effectiveAt: "period_end"`, each subscription that is on the plan now moves at the end of its own period, and a paused ' +
      'subscription moves at once. The migration is `in_progress` until each of these subscriptions has an outcome. Subscriptions that ' +
      'join the plan later are not moved.',
  })
  @ApiCreatedResponse({ type: PriceMigrationView })
  async schedule(
    @Context() context: CommandContext,
    @Body() body: SchedulePriceMigrationBody,
  ): Promise<PriceMigrationView> {
    const { customerIds = null, priceMap, ...named } = body;
    const details = {
      ...named,
      customerIds: customerIds && [...new Set(customerIds)],
      priceMap: readPriceMap(priceMap ?? {}),
    };
    return presentMigration(await this.commands.execute(new SchedulePriceMigration(context, details)));
  }

  @Get()
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'List price migrations, newest first',
    description: 'Finished and canceled migrations are included.',
  })
  @ApiOkResponse({ type: PriceMigrationList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<PriceMigrationList> {
    return readPage(
      page,
      this.queries.listOrder,
      (part) => this.queries.list(workspaceId, part),
      ({ shown }) => presentMigrationSummary(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'Get a price migration with its progress',
    description:
      'The progress has the numbers of migrated, skipped and failed subscriptions. `GET …/customers` lists them.',
  })
  @ApiOkResponse({ type: PriceMigrationView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<PriceMigrationView> {
    return presentMigration(await this.queries.get(workspaceId, id));
  }

  @Get(':id/customers')
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'List the outcome of each subscription in a price migration',
    description: 'A subscription is listed as soon as its outcome is known.',
  })
  @ApiOkResponse({ type: MigrationOutcomeList })
  async outcomes(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() { status, ...page }: MigrationOutcomeQuery,
  ): Promise<MigrationOutcomeList> {
    await this.queries.get(workspaceId, id);
    return readPage(
      page,
      this.queries.outcomeOrder,
      (part) => this.queries.outcomesOf(id, status, part),
      presentMoveOutcome,
    );
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Cancel a price migration before it takes effect',
    description:
      'A migration for `period_end` can also be canceled while it is in progress. Subscriptions that have already moved stay on the new plan. ' +
      'Moves that are not recorded yet are still added to its `progress` and its customers.',
  })
  @ApiOkResponse({ type: PriceMigrationView })
  async cancel(
    @Context() context: CommandContext,
    @Param('id') migrationId: string,
  ): Promise<PriceMigrationView> {
    return presentMigration(await this.commands.execute(new CancelPriceMigration(context, migrationId)));
  }
}
