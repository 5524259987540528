import { Body, Controller, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { firstMomentAfter, jsonNumber } from '#libs/kernel/core';
import { requireSecrets, type Settings } from '#libs/kernel/system';
import type { Principal } from '#libs/contexts/identity';
import {
  eventsOf,
  UsageEventQueries,
  EventAggregationQueries,
  UsageIngest,
  type MetricDefinition,
  type AcceptedTimes,
} from '#libs/usage';
import { SETTINGS } from '#libs/kernel/app';
import { MetricQueries } from '#projections/metrics';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import {
  readPage,
  RepeatableRequestId,
  TakesLong,
  responseHeaderRefs,
  WithoutCommand,
} from '../http/index.js';
import { explainCounting, currentDefinitionOf } from './counting-metrics.js';
import { EventListQuery } from './event-list.dto.js';
import { EventQueryBody, EventQueryView } from './event-query.dto.js';
import { readQueryAggregation } from './query-aggregation.js';
import { RequestEventKeys } from './request-event-keys.js';
import { UnchargedEventSearch } from './uncharged-event-search.js';
import {
  IngestView,
  StoredEventList,
  UsageBatchBody,
  UsageEventBody,
  usageBodySchema,
} from './usage-event.dto.js';

const USAGE_HEADERS = responseHeaderRefs(
  'Usage-Events-Repeated',
  'Usage-Events-Unmatched',
  'Usage-Events-Unpriced',
  'Usage-Events-Key-Reused',
);

@ApiTags('Usage events')
@ApiExtraModels(UsageEventBody, UsageBatchBody)
@Controller('v1/events')
export class UsageController {
  private readonly eventKeys: RequestEventKeys;

  constructor(
    private readonly ingest: UsageIngest,
    private readonly events: UsageEventQueries,
    private readonly queries: EventAggregationQueries,
    private readonly uncharged: UnchargedEventSearch,
    private readonly metrics: MetricQueries,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.eventKeys = new RequestEventKeys(requireSecrets(settings));
  }

  @Post()
  @HttpCode(200)
  @RequiresPermission('usage:write')
  @WithoutCommand()
  @ApiOperation({
    summary: 'Send usage events',
    description:
      'Send one event, a list, or `{events: [...]}`. Each event is checked separately: valid events are stored even if other events are ' +
      'invalid. Stored events are on disk when the response is sent. Send an `idempotencyKey` with each event, and repeat a request ' +
      'whose response was lost. A repeated `Idempotency-Key` stores no event twice either, also after an error. The header ' +
      '`Usage-Events-Repeated` says how many events had been stored before. If a key was first used with another customer, name or ' +
      'properties, the event is not stored, and `warnings` and the header `Usage-Events-Key-Reused` say so. Events that no metric counts or that a metric skips are ' +
      'stored too. If a metric is made or changed later so that it counts such events, the stored events are counted too. `warnings` ' +
      'describes these events, the header `Usage-Events-Unmatched` gives their number, and `GET /v1/events?unmatched=true` lists them. ' +
      'Events that metrics count and that no price and no credits charge to their customer have a warning `unpriced`. The header ' +
      '`Usage-Events-Unpriced` gives their number, and `GET /v1/events?unpriced=true` lists them. ' +
      'A metric of type `sql` is assumed to count every event that its filter includes, since the effect of its SQL on a single event ' +
      'is not known.',
  })
  @ApiBody({ schema: usageBodySchema })
  @ApiOkResponse({ type: IngestView, ...USAGE_HEADERS })
  async send(
    @CurrentPrincipal() principal: Principal,
    // The type is unknown, so that no validation pipe checks every event. libs/usage checks the events.
    @Body() body: unknown,
    @RepeatableRequestId() requestId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IngestView> {
    return this.take(principal, body, requestId, reply, 'live');
  }

  @Post('backfill')
  @HttpCode(200)
  @RequiresPermission('usage:write')
  @WithoutCommand()
  @ApiOperation({
    summary: 'Send usage events of past periods',
    description:
      'Works like `POST /v1/events`, for events of any age. Each event needs a `timestamp`. Both endpoints share their idempotency keys. ' +
      'Usage in a period that was already invoiced is billed on the next invoice of the subscription, as a separate line.',
  })
  @ApiBody({ schema: usageBodySchema })
  @ApiOkResponse({ type: IngestView, ...USAGE_HEADERS })
  async backfill(
    @CurrentPrincipal() principal: Principal,
    @Body() body: unknown,
    @RepeatableRequestId() requestId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IngestView> {
    return this.take(principal, body, requestId, reply, 'past');
  }

  @Get()
  @RequiresPermission('usage:read')
  @ApiOperation({
    summary: 'List usage events, newest first',
    description:
      'Each event has its properties, and the metrics that count or skip it. Without a range of time, the last 30 days are ' +
      'listed.',
  })
  @ApiOkResponse({ type: StoredEventList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: EventListQuery,
  ): Promise<StoredEventList> {
    const { unmatched, unpriced } = query;
    const unmatchedBy =
      unmatched && !unpriced ? await this.metricsOf(workspaceId, query.eventName) : undefined;
    return readPage(
      query,
      this.events.listOrder,
      async (page) => {
        const request = {
          workspaceId,
          customerId: query.customerId,
          eventName: query.eventName,
          startTime: query.since,
          endTime: firstMomentAfter(query.until),
          part: page,
        };
        const events = unpriced
          ? await this.uncharged.list({ ...request, unmatched: unmatched ?? false })
          : await this.events.list({ ...request, unmatchedBy });
        const names = [...new Set(events.map(({ eventName }) => eventName))];
        const metrics = await this.metrics.metricsByEventName(workspaceId, names);
        return events.map((event) => ({
          ...event,
          ...explainCounting(workspaceId, event, metrics.get(event.eventName) ?? []),
        }));
      },
      ({ seq: _, ...event }) => event,
    );
  }

  @Post('query')
  @TakesLong()
  @HttpCode(200)
  @RequiresPermission('usage:read')
  @WithoutCommand()
  @ApiOperation({
    summary: 'Aggregate stored events',
    description:
      'Aggregates the stored events directly, unlike billing, which uses meters. Time windows and groups without events are left out. Without `windowSize` and `groupBy`, the result is always one row, ' +
      'with 0 if no event matches. The first and last window contain only events within the time range.',
  })
  @ApiOkResponse({ type: EventQueryView })
  async query(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Body() body: EventQueryBody,
  ): Promise<EventQueryView> {
    const rows = await this.queries.query({
      workspaceId,
      eventName: body.eventName,
      aggregation: readQueryAggregation(body),
      customerIds: body.customerIds,
      startTime: body.startTime,
      endTime: body.endTime,
      windowSize: body.windowSize,
      windowTimeZone: body.windowTimeZone ?? 'UTC',
    });
    return { data: rows.map((row) => ({ ...row, value: jsonNumber(row.value) })) };
  }

  /** Returns the definitions of the present metrics, or only of the metrics for one event name if a name is given. */
  private async metricsOf(workspaceId: string, eventName: string | undefined): Promise<MetricDefinition[]> {
    const metrics = await this.metrics.liveMetrics(workspaceId);
    return metrics
      .map((metric) => currentDefinitionOf(workspaceId, metric))
      .filter((definition) => eventName === undefined || definition.eventName === eventName);
  }

  private async take(
    { workspaceId, kind, id }: Principal,
    body: unknown,
    requestId: string | undefined,
    reply: FastifyReply,
    reach: AcceptedTimes,
  ): Promise<IngestView> {
    const events = eventsOf(body, this.settings.usageBatchLimit);
    const { accepted, rejected, repeated, unmatched, unpriced, reusedKeys } = await this.ingest.ingest(
      workspaceId,
      events,
      `${kind}:${id}`,
      reach,
      requestId === undefined ? undefined : await this.derivedKeysOf(workspaceId, requestId, events),
    );
    if (repeated > 0) void reply.header('Usage-Events-Repeated', repeated);
    if (unmatched.count > 0) void reply.header('Usage-Events-Unmatched', unmatched.count);
    if (unpriced.count > 0) void reply.header('Usage-Events-Unpriced', unpriced.count);
    if (reusedKeys.count > 0) void reply.header('Usage-Events-Key-Reused', reusedKeys.count);
    return {
      accepted,
      rejected,
      warnings: [...reusedKeys.warnings, ...unmatched.warnings, ...unpriced.warnings],
    };
  }

  /**
   * The keys that find repeated events of a request. While `JWT_SECRET` is replaced, an event that is stored with its key by the former
   * secret keeps this key, because it would be stored twice otherwise.
   */
  private async derivedKeysOf(
    workspaceId: string,
    requestId: string,
    events: readonly unknown[],
  ): Promise<string[]> {
    const keys = this.eventKeys.keysOf(requestId, events);
    const former = this.eventKeys.formerKeysOf(requestId, events);
    if (former === undefined) return keys;
    const stored = await this.ingest.findStoredDerivedKeys(workspaceId, former);
    return keys.map((key, i) => (stored.has(former[i]!) ? former[i]! : key));
  }
}
