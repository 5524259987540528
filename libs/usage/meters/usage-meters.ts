import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Decimal, decimalString, InvalidRequest, type DecimalString } from '#libs/kernel/core';
import { BatchedReads, CoalescedReads } from '#libs/kernel/system';
import { preparedStatement } from '#libs/kernel/postgres';
import { notifyAppended } from '../append-notifications.js';
import { LogHead, type Watermark } from '../log-head.js';
import { SqlMetrics } from '../sql-metrics/sql-metrics.js';
import { usageChangedStatement, type UsageChangedRow } from './changed-sql.js';
import {
  isMetered,
  meterDefinitionOf,
  meterKey,
  normaliseAggregation,
  type MeterDefinition,
  type MetricDefinition,
  type NormalisedAggregation,
} from './definition.js';
import {
  measureCurrentStatement,
  measureLogStatement,
  measureMeterStatement,
  measureMeterAsOfStatement,
  nextEventValuesStatement,
  type LastReadEvent,
  type TimeRangeGroupRow,
  type TimeRangeMeasuredRow,
  type EventValueRow,
  type GroupRow,
  type MeasuredRow,
  type CustomerTimeRange,
} from './measure-sql.js';
import type { MeteredMeasureRequest } from './measure-in-transaction.js';
import type { Measurement, MeasuredGroup, MeasureRequest } from './measurement.js';
import type { Meter } from './meter.js';
import { MeterStore } from './meter-store.js';
import { presentGroup } from './sql.js';

/** The value of one counted event, and the event's usage group. */
export interface EventValue {
  /** The event's values of the `groupBy` properties. The keys are the names of the properties. */
  readonly key: Readonly<Record<string, string>>;
  readonly value: DecimalString;
}

/** A customer and time range to measure now. `aggregation` is the aggregation of the meter. */
interface CurrentSpan {
  readonly aggregation: NormalisedAggregation;
  readonly span: CustomerTimeRange;
}

/** Measures the usage of customers by metric. Billing, entitlements and limits use this class. */
@Injectable()
export class UsageMeters {
  /** The number of events that {@link eventValues} reads in one batch. */
  protected readonly eventsPerBatch: number = 10_000;
  /**
   * The maximum number of unfolded events that {@link measureCurrentStatement} reads. Reading 1,000 unfolded events takes about a
   * millisecond.
   */
  protected readonly maxUnfoldedEvents: number = 1_000;

  /**
   * The meters into which all new events are being folded. Simultaneous calls for a meter share the work, because a billing run reads the
   * same few meters for thousands of customers.
   */
  private readonly catchingUp = new CoalescedReads<Meter>();

  /** The measurements of current usage, combined by meter if several are requested at once. */
  private readonly current = new BatchedReads<CurrentSpan, readonly MeasuredGroup[] | undefined>(
    (key, asked) => this.measureSpans(key, asked),
  );

  /** The measurements by up-to-date meters, combined by meter like the measurements of current usage. */
  private readonly folded = new BatchedReads<MeteredMeasureRequest, Measurement>(
    (_, asked) => this.measureFolded(asked),
    { startsAtOnce: true },
  );

  constructor(
    private readonly pool: Pool,
    private readonly meters: MeterStore,
    private readonly head: LogHead,
    private readonly sql: SqlMetrics,
  ) {}

  /** Starts to fold the meter of a metric before the first measurement, so that the first caller does not wait. */
  async startFolding(definition: MetricDefinition): Promise<void> {
    const meter = await this.meters.getOrCreate(meterDefinitionOf(definition));
    await notifyAppended(this.pool, [meter.streamId]);
  }

  /** Folds all new events into the meter of a metric, so that the next measurement is fast. */
  async foldNewEvents(definition: MeterDefinition): Promise<void> {
    await this.upToDate(definition);
  }

  /**
   * Measures whole hours by the meter's totals of each hour (rollups). Reads the events of a partial first or last hour from the usage log.
   * The measurement counts every event that was acknowledged before the call. Creates and folds the meter if it does not exist. The SQL of
   * an SQL metric runs over the usage log instead. Throws StateConflict (`metric_sql_failed`) if the SQL of the metric fails on the events
   * to measure. Simultaneous calls for a meter usually share one statement.
   */
  async measure(request: MeasureRequest): Promise<Measurement> {
    const { definition } = request;
    if (!isMetered(definition)) return this.measureAsOf(request, await this.head.read());
    return this.folded.read(meterKey(definition), { ...request, definition });
  }

  /** Measures requests for the same meter with one statement. */
  private async measureFolded(asked: readonly MeteredMeasureRequest[]): Promise<Measurement[]> {
    const meter = await this.upToDate(asked[0]!.definition);
    const { text, values } = measureMeterStatement(meter, asked.map(spanOf));
    const { rows } = await this.pool.query<TimeRangeMeasuredRow>(preparedStatement(text, values));
    const [first] = rows;
    // The meter was dropped, because a rebuilt meter has replaced it meanwhile.
    if (first === undefined) return this.measureFolded(asked);
    const ofSpan = Map.groupBy(rows, ({ n }) => n);
    return asked.map((_, i) => present(meter.aggregation, ofSpan.get(i + 1)!, first.watermark));
  }

  /**
   * Returns the quantity of each usage group, including every event that was acknowledged before the call. Unlike {@link measure}, the call
   * does not wait until the meter contains the newest events, nor until running inserts of events end. The result therefore has no
   * watermark, and cannot be reproduced later. The call measures like {@link measure} for an SQL metric, a meter that does not exist, or a
   * meter with too many unfolded events.
   */
  async measureCurrentQuantities(request: MeasureRequest): Promise<readonly MeasuredGroup[]> {
    const { definition } = request;
    const groups = isMetered(definition)
      ? await this.current.read(meterKey(definition), {
          aggregation: normaliseAggregation(definition.aggregation),
          span: spanOf(request),
        })
      : undefined;
    return groups ?? (await this.measure(request)).groups;
  }

  /** Returns the usage groups of each time range. Returns undefined if the meter does not exist or has too many unfolded events. */
  private async measureSpans(
    key: string,
    asked: readonly CurrentSpan[],
  ): Promise<(readonly MeasuredGroup[] | undefined)[]> {
    const { aggregation } = asked[0]!;
    const spans = asked.map(({ span }) => span);
    const { text, values } = measureCurrentStatement(key, aggregation, spans, this.maxUnfoldedEvents);
    const { rows } = await this.pool.query<TimeRangeGroupRow>(preparedStatement(text, values));
    const isIncomplete = rows[0]?.behind ?? true;
    const ofSpan = Map.groupBy(rows, ({ n }) => n);
    return spans.map((_, i) => (isIncomplete ? undefined : groupsOf(aggregation, ofSpan.get(i + 1) ?? [])));
  }

  /**
   * Measures usage only from the usage log, in its state at `watermark`. `measureAsOf` is used to check the rollups, and to reproduce the
   * amounts of old invoices. It writes nothing.
   */
  async measureAsOf(request: MeasureRequest, watermark: Watermark): Promise<Measurement> {
    const { definition } = request;
    const { aggregation } = definition;
    if (aggregation.type === 'sql')
      return this.sql.measureAsOf({ ...request, definition: { ...definition, aggregation } }, watermark);
    const source = await this.meters.meterInputOf({ ...definition, aggregation });
    if (source === undefined) return present(normaliseAggregation(aggregation), [], watermark);
    const { text, values } = measureLogStatement(source, spanOf(request), watermark);
    const { rows } = await this.pool.query<MeasuredRow>(text, values);
    return present(source.aggregation, rows, watermark);
  }

  /**
   * Returns the same result as {@link measureAsOf}, and is faster if few events came after `watermark`. Reads the rollups of hours without
   * events after `watermark`, and the single events of the other hours. `watermark` must come from an earlier measurement.
   */
  async measureAsOfByRollups(request: MeasureRequest, watermark: Watermark): Promise<Measurement> {
    const { definition } = request;
    if (!isMetered(definition) || definition.aggregation.type === 'count_distinct')
      return this.measureAsOf(request, watermark);
    const meter = await this.upToDate(definition);
    const { text, values } = measureMeterAsOfStatement(meter, spanOf(request), watermark);
    const { rows } = await this.pool.query<MeasuredRow>(preparedStatement(text, values));
    return rows.length === 0
      ? this.measureAsOfByRollups(request, watermark)
      : present(meter.aggregation, rows, watermark);
  }

  /** Tells whether {@link measureAsOf} succeeds. A measurement can fail because the SQL of a metric fails on the events. */
  async canMeasureAsOf(request: MeasureRequest, watermark: Watermark): Promise<boolean> {
    try {
      await this.measureAsOf(request, watermark);
      return true;
    } catch (error) {
      if (error instanceof InvalidRequest && error.code === 'metric_sql_failed') return false;
      throw error;
    }
  }

  /**
   * Tells whether events that match the metric's filter were added after `since`. Events without a usable value are included, although no
   * measurement counts them. Also returns the position up to which the usage log was read. Every event that was acknowledged before the
   * call is considered. The check reads the rollups of hours instead of single events.
   */
  async checkChangedSince(
    request: MeasureRequest,
    since: Watermark,
  ): Promise<{ changed: boolean; watermark: Watermark }> {
    const meter = await this.upToDate(meterDefinitionOf(request.definition));
    const { text, values } = usageChangedStatement(meter, spanOf(request), since);
    const { rows } = await this.pool.query<UsageChangedRow>(preparedStatement(text, values));
    return rows[0] ?? this.checkChangedSince(request, since);
  }

  /** Returns the meter after it has folded every event that was acknowledged before the call. Creates the meter if it does not exist. */
  private upToDate(definition: MeterDefinition): Promise<Meter> {
    return this.catchingUp.read(meterKey(definition), async () => {
      const meter = await this.meters.getOrCreate(definition);
      await this.meters.catchUp(meter, await this.head.read());
      return meter;
    });
  }

  /**
   * Reads the single events that a measurement up to `watermark` counted, in batches and in order of time. The method {@link eventValues}
   * is used for prices that depend on single events. The duration of the method grows with the number of events, unlike the duration of a
   * measurement. It writes nothing. Throws RangeError for an SQL metric, because SQL has no result for a single event. Billing never causes
   * this error, because no price that depends on single events uses an SQL metric.
   */
  async *eventValues(request: MeasureRequest, watermark: Watermark): AsyncGenerator<EventValue[]> {
    if (!isMetered(request.definition)) throw new RangeError('SQL has no values of single events');
    const source = await this.meters.meterInputOf(request.definition);
    if (source === undefined) return;
    let after: LastReadEvent | undefined;
    for (;;) {
      const span = spanOf(request);
      const { text, values } = nextEventValuesStatement(source, span, watermark, after, this.eventsPerBatch);
      const { rows } = await this.pool.query<EventValueRow>(text, values);
      yield rows.map(({ group_key, value }) => ({
        key: presentGroup(source.aggregation, group_key),
        value: decimalString(new Decimal(value)),
      }));
      if (rows.length < this.eventsPerBatch) return;
      after = rows.at(-1);
    }
  }
}

function spanOf({ customerId, start, end }: MeasureRequest): CustomerTimeRange {
  return { customerId, start, end: end < start ? start : end };
}

function present(
  aggregation: NormalisedAggregation,
  rows: readonly GroupRow[],
  watermark: Watermark,
): Measurement {
  const counted = rows.filter(({ group_key }) => group_key !== null);
  const total = (of: (row: GroupRow) => string): number =>
    counted.reduce((sum, row) => sum + Number(of(row)), 0);
  const events = total((row) => row.events);
  const skipped = total((row) => row.skipped);
  return { groups: groupsOf(aggregation, rows), events, skipped, watermark };
}

function groupsOf(aggregation: NormalisedAggregation, rows: readonly GroupRow[]): MeasuredGroup[] {
  const groups = rows.flatMap(({ group_key: values, events, quantity }) =>
    values === null || events === '0'
      ? []
      : [{ key: presentGroup(aggregation, values), quantity: decimalString(new Decimal(quantity)) }],
  );
  if (groups.length === 0 && aggregation.groupBy.length === 0) groups.push({ key: {}, quantity: '0' });
  return groups;
}
