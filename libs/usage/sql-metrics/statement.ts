import type { NormalisedScope } from '../meters/definition.js';
import type { CheckedSql } from './check-sql.js';

/** The relation that the SQL reads: a customer's events in the usage log, or sample events. */
export type Relation = 'events' | 'sample_events';

/**
 * A statement that is passed to the database function sql_metrics.run, with its parameters. The statement reads its parameters from one
 * JSON list in `$1`.
 */
export interface SqlMetricStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

const COLUMNS = 'id, "timestamp", properties, customer_id, event_name';

/**
 * Returns the statement that computes the SQL of a metric for each group of events, or for all events together. The SQL runs once for each
 * group, and each run reads the events again. The statement returns rows of (group_key, events, quantity), in order of the key. If the
 * metric has no groups, the statement returns one row. If there are more than `maxGroups` groups, the statement returns `maxGroups` + 1
 * rows, and the SQL is not run.
 */
export function measureStatement(
  sql: CheckedSql,
  { filter, groupBy }: NormalisedScope,
  relation: Relation,
  maxGroups: number,
): SqlMetricStatement {
  const parameters: unknown[] = [];
  const add = (value: unknown): number => parameters.push(value) - 1;
  const property = (path: string): string =>
    `sql_metrics.property_text(properties, $1 ->> ${add(path)}, ${textList(add(path.split('.')))})`;
  const matches = filter.map(([path, values]) => `${property(path)} = ANY(${textList(add(values))})`);
  const key = groupBy.length === 0 ? `'[]'::jsonb` : `jsonb_build_array(${groupBy.map(property).join(', ')})`;
  const log = `log AS NOT MATERIALIZED (
      SELECT ${COLUMNS}, ${key} AS group_key FROM sql_metrics.${relation}
      WHERE ${matches.length === 0 ? 'true' : matches.join(' AND ')})`;
  const text =
    groupBy.length === 0
      ? `WITH ${log}
         SELECT '[]'::jsonb AS group_key, (SELECT count(*) FROM log) AS events, ${valueOf(sql, 'log')}::numeric AS quantity`
      : `WITH ${log},
         part AS MATERIALIZED (SELECT group_key, count(*) AS events FROM log GROUP BY group_key LIMIT ${maxGroups + 1})
         SELECT part.group_key, part.events, CASE WHEN (SELECT count(*) FROM part) <= ${maxGroups} THEN
           ${valueOf(sql, 'log WHERE log.group_key = part.group_key')}::numeric END AS quantity
         FROM part ORDER BY part.group_key`;
  return { text, parameters };
}

/** Returns the statement that finds the type of the SQL's value by running the SQL without events. */
export function typeStatement(sql: CheckedSql): string {
  return `SELECT pg_typeof(${valueOf(sql, 'sql_metrics.sample_events')})::text`;
}

function valueOf(sql: CheckedSql, from: string): string {
  return `(WITH events AS (SELECT ${COLUMNS} FROM ${from})\nSELECT (\n${sql.statement}\n))`;
}

function textList(place: number): string {
  return `ARRAY(SELECT jsonb_array_elements_text($1 -> ${place}))`;
}
