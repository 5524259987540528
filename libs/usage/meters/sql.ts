import type { NormalAggregation } from './definition.js';

/** A statement for pg. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** The parameters of a statement, with their placeholders. Data that a client sent never becomes part of the SQL text. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Adds a value, and returns its placeholder with the type. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** An aggregation over rows of usage.events, as SQL expressions. */
export interface AggregationSql {
  /** The condition for the aggregated rows. */
  readonly matches: string;
  /** The contribution of a row (numeric; bytea for count_distinct). Null if it has none. */
  readonly value: string;
  /** A jsonb list of the row's values for the groupBy properties. */
  readonly groupKey: string;
  /** The function that combines numeric values. */
  readonly combine: 'sum' | 'max';
}

/** The SQL of an aggregation. */
export function aggregationSql(aggregation: NormalAggregation, parameters: SqlParameters): AggregationSql {
  const property = (path: string): string =>
    `usage.property(properties, ${parameters.add(path, 'text')}, ${parameters.add(path.split('.'), 'text[]')})`;
  const filters = aggregation.filter.map(
    ([path, values]) => `usage.scalar_text(${property(path)}) = ANY(${parameters.add(values, 'text[]')})`,
  );
  const groups = aggregation.groupBy.map((path) => `usage.scalar_text(${property(path)})`);
  return {
    matches: filters.length === 0 ? 'true' : filters.join(' AND '),
    value: valueOf(aggregation, property),
    groupKey: groups.length === 0 ? `'[]'::jsonb` : `jsonb_build_array(${groups.join(', ')})`,
    combine: aggregation.type === 'max' ? 'max' : 'sum',
  };
}

function valueOf(aggregation: NormalAggregation, property: (path: string) => string): string {
  switch (aggregation.type) {
    case 'count':
      return '1::numeric';
    case 'sum':
    case 'max':
      return `usage.numeric_value(${property(aggregation.property!)})`;
    case 'count_distinct':
      return digestSql(`usage.scalar_text(${property(aggregation.property!)})`);
  }
}

/**
 * SQL that computes a digest of 16 bytes for a text of any length. It does not use MD5, because a sender of values could make two of them
 * collide.
 */
export function digestSql(text: string): string {
  return `substring(sha256(convert_to(${text}, 'UTF8')) FOR 16)`;
}

/** SQL for the id of a group. The id is empty if the metric has no groups. */
export function groupIdSql(aggregation: NormalAggregation, groupKey: string): string {
  return aggregation.groupBy.length === 0 ? `''::bytea` : digestSql(`${groupKey}::text`);
}

/** A group in the form of the API. Properties that the group's events do not have are omitted. */
export function presentGroup(
  { groupBy }: Pick<NormalAggregation, 'groupBy'>,
  key: readonly (string | null)[],
): Record<string, string> {
  const group: Record<string, string> = {};
  groupBy.forEach((path, i) => {
    const value = key[i];
    if (value !== null && value !== undefined) group[path] = value;
  });
  return group;
}
