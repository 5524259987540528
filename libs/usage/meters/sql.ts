import type { NormalisedAggregation } from './definition.js';

/** An SQL statement with the values of its placeholders, as node-postgres accepts it. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** The parameters of an SQL statement, with their placeholders. Data from clients never becomes part of the SQL text. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Adds a value, and returns its typed placeholder. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** The SQL expressions of an aggregation over rows of usage.events. */
export interface AggregationSql {
  /** The SQL condition that selects the rows to aggregate. */
  readonly filterCondition: string;
  /** The SQL of a row's contribution (numeric; bytea for count_distinct). The SQL yields null for a row without a contribution. */
  readonly value: string;
  /** The SQL of a jsonb list with the row's values for the `groupBy` properties. */
  readonly groupKey: string;
  /** The SQL function that combines numeric values. */
  readonly combineFunction: 'sum' | 'max';
}

/** Returns the SQL expressions of an aggregation. */
export function aggregationSql(
  aggregation: NormalisedAggregation,
  parameters: SqlParameters,
): AggregationSql {
  const property = (path: string): string =>
    `usage.property(properties, ${parameters.add(path, 'text')}, ${parameters.add(path.split('.'), 'text[]')})`;
  const filters = aggregation.filter.map(
    ([path, values]) => `usage.scalar_text(${property(path)}) = ANY(${parameters.add(values, 'text[]')})`,
  );
  const groups = aggregation.groupBy.map((path) => `usage.scalar_text(${property(path)})`);
  return {
    filterCondition: filters.length === 0 ? 'true' : filters.join(' AND '),
    value: valueOf(aggregation, property),
    groupKey: groups.length === 0 ? `'[]'::jsonb` : `jsonb_build_array(${groups.join(', ')})`,
    combineFunction: aggregation.type === 'max' ? 'max' : 'sum',
  };
}

function valueOf(aggregation: NormalisedAggregation, property: (path: string) => string): string {
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
 * Returns SQL that computes a digest of 16 bytes for a text of any length. The digest is not MD5, because the senders of events could
 * create two values with the same MD5 digest.
 */
export function digestSql(text: string): string {
  return `substring(sha256(convert_to(${text}, 'UTF8')) FOR 16)`;
}

/** Returns SQL for the id of a usage group. The id is empty if the metric has no groups. */
export function groupIdSql(aggregation: NormalisedAggregation, groupKey: string): string {
  return aggregation.groupBy.length === 0 ? `''::bytea` : digestSql(`${groupKey}::text`);
}

/** Returns a usage group in the form of the API. Properties that the group's events do not have are omitted. */
export function presentGroup(
  { groupBy }: Pick<NormalisedAggregation, 'groupBy'>,
  key: readonly (string | null)[],
): Record<string, string> {
  const group: Record<string, string> = {};
  groupBy.forEach((path, i) => {
    const value = key[i];
    if (value !== null && value !== undefined) group[path] = value;
  });
  return group;
}
