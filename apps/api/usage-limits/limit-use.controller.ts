import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Principal } from '#libs/contexts/identity';
import {
  checkLimits,
  LimitUseReader,
  presentUsageLimit,
  remainingQuantity,
  type LimitRule,
  type LimitUse,
  type UsageLimit,
} from '#libs/contexts/usage-limits';
import { InvalidRequest, jsonNumber, NotFound } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CustomerDirectory } from '#libs/usage';
import { MetricQueries } from '#projections/metrics';
import { UsageLimitQueries } from '#projections/usage-limits';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { readPage, PageQuery, WithoutCommand } from '../http/index.js';
import {
  CheckedUsageLimitsView,
  CheckUsageLimitsBody,
  CustomerUsageLimitList,
  type CustomerUsageLimitView,
} from './usage-limit.dto.js';

@ApiTags('Usage limits')
@Controller('v1')
export class LimitUseController {
  constructor(
    private readonly clock: WorkspaceClock,
    private readonly customers: CustomerDirectory,
    private readonly metrics: MetricQueries,
    private readonly limits: UsageLimitQueries,
    private readonly use: LimitUseReader,
  ) {}

  @Get('customers/:id/usage-limits')
  @RequiresPermission('usage_limits:read')
  @ApiOperation({
    summary: 'List the usage limits that apply to a customer, with the used quantities, oldest first',
    description: 'The used quantities include every event that was accepted before the request.',
  })
  @ApiOkResponse({ type: CustomerUsageLimitList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ): Promise<CustomerUsageLimitList> {
    await this.requireCustomer(workspaceId, customerId);
    const now = await this.clock.now(workspaceId);
    const { data, ...more } = await readPage(
      page,
      this.limits.listOrder,
      (part) => this.limits.list(workspaceId, part, { appliesTo: customerId }),
      ({ shown }) => shown,
    );
    const shown = new Set(data.map(({ limitId }) => limitId));
    const uses = await this.use.readUses(workspaceId, customerId, now, ({ limitId }) => shown.has(limitId));
    const byId = new Map(uses.map((use) => [use.rule.limitId, use]));
    return { data: data.map((limit) => presentWithUse(limit, byId.get(limit.limitId))), ...more };
  }

  @Post('usage-limits/check')
  @HttpCode(200)
  @WithoutCommand()
  @RequiresPermission('usage_limits:read')
  @ApiOperation({
    summary: 'Check whether the usage limits of a customer allow a quantity before it is used',
    description:
      'The used quantities include every event that was accepted before the request. A check reserves nothing: if several checks ' +
      'succeed at once, the events that arrive first are accepted. Filters of metrics are not applied, because there is no event yet.',
  })
  @ApiOkResponse({ type: CheckedUsageLimitsView })
  async check(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Body() { customerId, metricId, eventName, quantity = '1' }: CheckUsageLimitsBody,
  ): Promise<CheckedUsageLimitsView> {
    if ((metricId === undefined) === (eventName === undefined))
      throw InvalidRequest.field('metricId', 'give either metricId or eventName, and not both');
    const wanted = ({ metric }: LimitRule): boolean =>
      metricId === undefined ? metric.eventName === eventName : metric.metricId === metricId;
    const [now] = await Promise.all([
      this.clock.now(workspaceId),
      this.requireCustomer(workspaceId, customerId),
    ]);
    const uses = await this.use.readUses(workspaceId, customerId, now, wanted);
    // A mistyped metric or event must be an error. Otherwise the answer would be that everything is allowed.
    if (uses.length === 0) await this.requireMetric(workspaceId, { metricId, eventName });
    const { allowed, nearest } = checkLimits(uses, quantity);
    const { limit, ...used } = presentUse(nearest);
    return { allowed, limitId: nearest?.rule.limitId ?? null, limit, ...used };
  }

  private async requireMetric(
    workspaceId: string,
    { metricId, eventName }: Pick<CheckUsageLimitsBody, 'metricId' | 'eventName'>,
  ): Promise<void> {
    if (metricId !== undefined) {
      await this.metrics.get(workspaceId, metricId);
      return;
    }
    const found = await this.metrics.metricsByEventName(workspaceId, [eventName!]);
    if (found.size === 0)
      throw new NotFound('metric_not_found', `No metric counts events named "${eventName!}"`);
  }

  private async requireCustomer(workspaceId: string, customerId: string): Promise<void> {
    const missing = await this.customers.findMissingIds(workspaceId, new Set([customerId]));
    if (missing.size > 0) throw NotFound.of('customer', customerId);
  }
}

/**
 * Presents a usage limit with the used quantity. `use` is undefined if the metric is deleted or of type `sql`. `use` is also undefined if
 * the limit was deleted after the list of limits was read.
 */
function presentWithUse(limit: UsageLimit, use: LimitUse | undefined): CustomerUsageLimitView {
  const { used, remaining: left, resetsAt } = presentUse(use ?? null);
  return { ...presentUsageLimit(limit), used, remaining: left, resetsAt };
}

function presentUse(use: LimitUse | null) {
  if (use === null) return { limit: null, used: null, remaining: null, resetsAt: null };
  const { rule, used, window } = use;
  return {
    limit: jsonNumber(rule.limit),
    used: jsonNumber(used),
    remaining: jsonNumber(remainingQuantity(rule, used)),
    resetsAt: window.end,
  };
}
