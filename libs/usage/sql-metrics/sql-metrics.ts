import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Pool, type PoolClient } from 'pg';
import {
  Decimal,
  decimalString,
  InvalidRequest,
  StateConflict,
  parseDecimal,
  Unavailable,
  type DecimalString,
} from '#libs/kernel/core';
import { KeyedConcurrencyLimits, ConcurrencyLimit } from '#libs/kernel/system';
import { inTransaction } from '#libs/kernel/postgres';
import type { Watermark } from '../log-head.js';
import { normaliseScope, type SqlAggregation } from '../meters/definition.js';
import type { MeasureRequest, Measurement } from '../meters/measurement.js';
import {
  distinctEventsInRange,
  type SampleEvent,
  type SampleMeasurement,
  type SampleRange,
} from '../meters/sample.js';
import { presentGroup } from '../meters/sql.js';
import { checkSql, type CheckedSql } from './check-sql.js';
import { describeSqlFailure } from './describe-sql-failure.js';
import { measureStatement, typeStatement, type Relation } from './statement.js';

interface Row {
  group_key: (string | null)[];
  events: string;
  quantity: string | null;
}

type SqlRequest = Omit<MeasureRequest, 'definition'> & {
  readonly definition: Omit<MeasureRequest['definition'], 'aggregation'> & {
    readonly aggregation: SqlAggregation;
  };
};

const QUANTITY_TYPES = ['smallint', 'integer', 'bigint', 'numeric'];
const QUANTITY_LIMIT = new Decimal('1e100');
/**
 * The maximum time for which SQL waits until it may run. The maximum waiting time equals the time limit of a measurement. SQL waits for its
 * workspace's share and then for the process's share, each for at most this time.
 */
const WAIT_MILLIS = 30_000;
/** The maximum number of checked `sql` strings that are cached. */
const MAX_CHECKED = 1_000;

/**
 * Measures quantities by a metric's own SQL. The SQL must pass the allow-list in allow-list.ts, which check-sql.ts applies. The SQL runs as
 * a database role that can read only the events of one customer in one time range. The SQL runs in a read-only transaction, with limits of
 * time, memory, disk and groups. All SQL of metrics uses at most half of the process's connections, and the SQL of one workspace at most an
 * eighth. Both shares are at least one connection. If these limits are reached, further SQL waits until it may run. SQL that waits too long
 * is refused as Unavailable (`too_many_at_work`).
 */
@Injectable()
export class SqlMetrics {
  /** The time limit of a measurement in milliseconds. */
  protected readonly limitMillis: number = 30_000;
  /** The time limit in milliseconds of the trial run when a metric is created. */
  protected readonly trialMillis: number = 5_000;
  /** The memory that each sort or grouping can use before it uses temporary files. A lower setting of the server applies instead. */
  protected readonly workMemory: string = '16MB';
  /**
   * The maximum size of all temporary files of one connection together. The server's setting applies instead if it is lower, or if the
   * database user cannot change it.
   */
  protected readonly temporaryFiles: string = '1GB';
  /** The maximum number of groups in a measurement. Each group needs a row in memory and a line on an invoice. */
  protected readonly maxGroups: number = 10_000;

  private readonly checked = new LRUCache<string, Promise<CheckedSql>>({ max: MAX_CHECKED });

  private readonly turns: ConcurrencyLimit;
  private readonly turnsOfWorkspace: KeyedConcurrencyLimits;

  constructor(private readonly pool: Pool) {
    const waits = { waitMillis: WAIT_MILLIS, createRefusal: tooManyAtWork };
    const connections = pool.options.max;
    this.turns = new ConcurrencyLimit({ maxRunning: Math.max(1, Math.floor(connections / 2)), ...waits });
    this.turnsOfWorkspace = new KeyedConcurrencyLimits({
      maxRunning: Math.max(1, Math.floor(connections / 8)),
      ...waits,
    });
  }

  /**
   * Checks whether a metric can have the given SQL. The check parses the SQL, runs it without events, and plans it on the usage log. Throws
   * InvalidRequest (`invalid_sql`) with the field `sql` and the position of the error if the SQL is not allowed. Throws InvalidRequest
   * (`sql_metrics_unavailable`) if no database role for the SQL exists and none can be created.
   */
  async check(workspaceId: string, aggregation: SqlAggregation): Promise<void> {
    const sql = await this.read(aggregation.sql);
    await this.requireRole();
    const [found] = await this.tried(workspaceId, sql, 'SELECT sql_metrics.type_of($1) AS type', [
      typeStatement(sql),
    ]);
    if (!QUANTITY_TYPES.includes(found!.type))
      throw refusal(`must return a whole number or a numeric, not ${found!.type}`);
    const { text, parameters } = measureStatement(sql, normaliseScope(aggregation), 'events', this.maxGroups);
    await this.tried(workspaceId, sql, 'SELECT sql_metrics.plan($1, $2)', [text, JSON.stringify(parameters)]);
  }

  /** Returns the result of the SQL on the usage log in its state at `watermark`. Writes nothing. */
  async measureAsOf(request: SqlRequest, watermark: Watermark): Promise<Measurement> {
    const { definition, customerId, start, end } = request;
    const { workspaceId, eventName, aggregation, metricId } = definition;
    const measured = await this.measure(workspaceId, aggregation, 'events', metricId, async (tx) => {
      await tx.query(
        `SELECT set_config('countinghouse.scope', usage.sealed_scope(jsonb_build_object(
           'series', (SELECT s.id FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id
                      WHERE t.workspace_id = $1 AND t.event_name = $2 AND s.customer_id = $3),
           'start', $4::text, 'end', $5::text, 'upTo', $6::text, 'customerId', $3::text, 'eventName', $2::text)::text), true)`,
        [workspaceId, eventName, customerId, start, end, watermark],
      );
    });
    return { ...measured, watermark };
  }

  /** Returns the result of the SQL on sample events in the given range [start, end). The SQL must have been checked before. */
  async measureSample(
    workspaceId: string,
    aggregation: SqlAggregation,
    events: readonly SampleEvent[],
    range: SampleRange,
    eventName: string | undefined,
  ): Promise<SampleMeasurement> {
    const samples = distinctEventsInRange(events, range).map(({ timestamp, properties }, i) => ({
      id: `sample_${String(i + 1).padStart(4, '0')}`,
      timestamp,
      properties,
      customer_id: 'sample',
      event_name: eventName ?? null,
    }));
    return this.measure(workspaceId, aggregation, 'sample_events', undefined, async (tx) => {
      await tx.query(`SELECT set_config('countinghouse.sample', $1, true)`, [JSON.stringify(samples)]);
    });
  }

  private async measure(
    workspaceId: string,
    aggregation: SqlAggregation,
    relation: Relation,
    metricId: string | undefined,
    prepare: (tx: PoolClient) => Promise<void>,
  ): Promise<SampleMeasurement> {
    const sql = await this.read(aggregation.sql);
    const scope = normaliseScope(aggregation);
    const { text, parameters } = measureStatement(sql, scope, relation, this.maxGroups);
    const which = metricId === undefined ? 'the SQL' : `the SQL of the metric ${metricId}`;
    const rows = await this.reading(workspaceId, this.limitMillis, async (tx) => {
      await prepare(tx);
      const values = [text, JSON.stringify(parameters)];
      return (await tx.query<Row>('SELECT * FROM sql_metrics.run($1, $2)', values)).rows;
    }).catch((error: unknown) => {
      const failure = describeSqlFailure(error, sql, this.limitMillis, 'events');
      throw failure === undefined ? error : failed(`${which} ${failure}`);
    });
    if (rows.length > this.maxGroups)
      throw failed(`${which} has more than ${this.maxGroups} groups; group by properties with fewer values`);
    return {
      groups: rows.map(({ group_key: key, quantity }) => ({
        key: presentGroup(scope, key),
        quantity: exactQuantity(quantity, which),
      })),
      events: rows.reduce((sum, { events }) => sum + Number(events), 0),
      skipped: 0,
    };
  }

  private async requireRole(): Promise<void> {
    const { rows } = await this.pool.query<{ obstacle: string | null }>(
      'SELECT usage.ensure_sql_role() AS obstacle',
    );
    const obstacle = rows[0]!.obstacle;
    if (obstacle === null) return;
    const message =
      `metrics of type sql need a role of the database that is not there (${obstacle}); have its administrator run CREATE ROLE ` +
      `countinghouse_sql_metrics NOLOGIN, GRANT countinghouse_sql_metrics to the user that migrates, run "countinghouse migrate", and try again`;
    throw InvalidRequest.field('aggregation.type', message, 'sql_metrics_unavailable');
  }

  private async tried(
    workspaceId: string,
    sql: CheckedSql,
    text: string,
    values: unknown[],
  ): Promise<{ type: string }[]> {
    try {
      return await this.reading(
        workspaceId,
        this.trialMillis,
        async (tx) => (await tx.query<{ type: string }>(text, values)).rows,
      );
    } catch (error) {
      const failure = describeSqlFailure(error, sql, this.trialMillis, 'trial');
      throw failure === undefined ? error : refusal(failure);
    }
  }

  /**
   * Runs `work` for a workspace when the limits on connections allow it. The function `work` runs in a read-only transaction, with the
   * limits of time, memory and temporary files.
   */
  private reading<T>(
    workspaceId: string,
    limitMillis: number,
    work: (tx: PoolClient) => Promise<T>,
  ): Promise<T> {
    const limited = async (tx: PoolClient): Promise<T> => {
      await tx.query('SET TRANSACTION READ ONLY');
      await tx.query(
        `SELECT set_config('statement_timeout', $1, true), set_config('max_parallel_workers_per_gather', '0', true),
           set_config('jit', 'off', true),
           CASE WHEN pg_size_bytes(current_setting('work_mem')) > pg_size_bytes($2) THEN set_config('work_mem', $2, true) END,
           CASE WHEN has_parameter_privilege('temp_file_limit', 'SET')
             AND NOT pg_size_bytes(current_setting('temp_file_limit')) BETWEEN 0 AND pg_size_bytes($3)
             THEN set_config('temp_file_limit', $3, true) END`,
        [String(limitMillis), this.workMemory, this.temporaryFiles],
      );
      return work(tx);
    };
    return this.turnsOfWorkspace.run(workspaceId, () =>
      this.turns.run(() => inTransaction(this.pool, limited)),
    );
  }

  /** Returns the checked form of the SQL. Throws InvalidRequest if the SQL is not allowed. */
  private read(sql: string): Promise<CheckedSql> {
    const known = this.checked.get(sql);
    if (known) return known;
    const checking = checkSql(sql).then((result) => {
      if ('statement' in result) return result;
      const { message, position } = result;
      throw refusal(position === undefined ? message : `${message} (at character ${position})`);
    });
    this.checked.set(sql, checking);
    checking.catch(() => this.checked.delete(sql));
    return checking;
  }
}

/** If the SQL returns null, for example without events, the quantity is zero. A metric of another type is also zero without events. */
function exactQuantity(quantity: string | null, which: string): DecimalString {
  const number = parseDecimal(quantity ?? '0');
  if (number === undefined || number.abs().gte(QUANTITY_LIMIT))
    throw failed(`${which} comes to ${quantity?.slice(0, 40)}, which is not a valid quantity`);
  return decimalString(number);
}

function tooManyAtWork(): Unavailable {
  return new Unavailable(
    'too_many_at_work',
    'Too many metrics of type sql are being measured; try again shortly',
  );
}

function refusal(message: string): InvalidRequest {
  return InvalidRequest.field('sql', message, 'invalid_sql');
}

function failed(message: string): InvalidRequest {
  return new StateConflict('metric_sql_failed', `${message[0]!.toUpperCase()}${message.slice(1)}`, [
    { field: 'sql', message },
  ]);
}
