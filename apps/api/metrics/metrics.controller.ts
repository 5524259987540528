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
  CreateMetric,
  currentMetricVersion,
  DeleteMetric,
  presentMetric,
  readMetricAggregation,
  UpdateMetric,
} from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { SqlMetrics } from '#libs/usage';
import { MetricQueries } from '#projections/metrics';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery, TakesLong } from '../http/index.js';
import { EvaluatedMetricView, EvaluateMetricBody } from './evaluate-metric.dto.js';
import { evaluateMetric, presentEvaluatedMetric, type MetricToTry } from './evaluate-metric.js';
import { CreateMetricBody, MetricList, MetricView, UpdateMetricBody } from './metric.dto.js';

@ApiTags('Metrics')
@Controller('v1/metrics')
export class MetricsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly metrics: MetricQueries,
    private readonly sqlMetrics: SqlMetrics,
  ) {}

  @Post()
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Create a metric',
    description:
      'A metric makes one quantity of the events with its event name, such as their number or the sum of a property. Prices ' +
      'charge for this quantity.',
  })
  @ApiCreatedResponse({ type: MetricView })
  async create(@Context() context: CommandContext, @Body() body: CreateMetricBody): Promise<MetricView> {
    return presentMetric(await this.commands.execute(new CreateMetric(context, body)));
  }

  @Post('evaluate')
  @TakesLong()
  @HttpCode(200)
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary: 'Try a metric on sample events and get the quantity, without storing anything',
    description:
      'The request has the aggregation and the events, and the response has the quantity of each group.',
  })
  @ApiOkResponse({ type: EvaluatedMetricView })
  async evaluate(
    @Context() { workspaceId, now }: CommandContext,
    @Body() body: EvaluateMetricBody,
  ): Promise<EvaluatedMetricView> {
    const tried = await this.tried(workspaceId, body);
    if (tried.aggregation.type === 'sql') await this.sqlMetrics.check(workspaceId, tried.aggregation);
    return presentEvaluatedMetric(await evaluateMetric(workspaceId, tried, body, now, this.sqlMetrics));
  }

  @Get()
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary: 'List metrics, oldest first',
    description: 'Each metric is shown in its present version.',
  })
  @ApiOkResponse({ type: MetricList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<MetricList> {
    return readPage(
      page,
      this.metrics.listOrder,
      (part) => this.metrics.list(workspaceId, part),
      ({ shown }) => presentMetric(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('catalog:read')
  @ApiOperation({ summary: 'Get a metric', description: 'The metric is shown in its present version.' })
  @ApiOkResponse({ type: MetricView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<MetricView> {
    return presentMetric(await this.metrics.get(workspaceId, id));
  }

  @Patch(':id')
  @RequiresPermission('catalog:write')
  @MayNeedApproval('price.lower')
  @ApiOperation({
    summary: 'Change the given fields of a metric: if anything changes, a new version is made',
    description:
      'Refused with `metric_in_use` if a price charges or has charged for the metric and the metric becomes SQL. A price with the model ' +
      '`percentage` needs a sum: a change to another aggregation is refused too. A price with the model `matrix` needs a metric that groups ' +
      'by its `dimensions`.',
  })
  @ApiOkResponse({ type: MetricView })
  async update(
    @Context() context: CommandContext,
    @Param('id') metricId: string,
    @Body() body: UpdateMetricBody,
  ): Promise<MetricView> {
    return presentMetric(await this.commands.execute(new UpdateMetric(context, metricId, body)));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Delete a metric that no price charges for',
    description: 'Also an earlier version of a price keeps the metric from being deleted (`metric_in_use`).',
  })
  @ApiNoContentResponse()
  async delete(@Context() context: CommandContext, @Param('id') metricId: string): Promise<void> {
    await this.commands.execute(new DeleteMetric(context, metricId));
  }

  private async tried(workspaceId: string, body: EvaluateMetricBody): Promise<MetricToTry> {
    const { metricId, aggregation, sql, eventName } = body;
    if ((aggregation === undefined) === (metricId === undefined))
      throw InvalidRequest.field('aggregation', 'is required if there is no metricId');
    if (metricId === undefined) return { aggregation: readMetricAggregation(aggregation, sql), eventName };
    if (sql !== undefined && sql !== null)
      throw InvalidRequest.field('sql', 'must be left out if metricId is given: the metric has its own');
    if (eventName !== undefined)
      throw InvalidRequest.field(
        'eventName',
        'must be left out if metricId is given: the metric has its own',
      );
    return currentMetricVersion(await this.metrics.get(workspaceId, metricId));
  }
}
