import type { NormalAggregation } from './definition.js';

/** A statement for pg. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** The values of a statement, and their placeholders. Data that a client sent never becomes part of the SQL text. */
export class Parameters {
  readonly values: unknown[] = [];

  /** The placeholder of `value`, with its type. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** An aggregation over rows of usage.events, as SQL expressions. */
export interface AggregationSql {
  /** The condition for rows that are aggregated. */
  readonly matches: string;
  /** The row's contribution (numeric; bytea for count_distinct), or null if it has none. */
  readonly value: string;
  /** jsonb list of the row's values of the groupBy properties. */
  readonly groupKey: string;
  /** Combines values that are numeric. */
  readonly combine: 'sum' | 'max';
}

/** The SQL of an aggregation. */
export function aggregationSql(aggregation: NormalAggregation, parameters: Parameters): AggregationSql {
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
      return digest(`usage.scalar_text(${property(aggregation.property!)})`);
  }
}

/** 16 bytes that stand for a text of any length. Not MD5: who sends the values could make two collide. */
export function digest(text: string): string {
  return `substring(sha256(convert_to(${text}, 'UTF8')) FOR 16)`;
}

/** The id of a group: empty where nothing is grouped. */
export function groupId(aggregation: NormalAggregation, groupKey: string): string {
  return aggregation.groupBy.length === 0 ? `''::bytea` : digest(`${groupKey}::text`);
}

/** A group as the API names it. A property that the group's events do not have is left out. */
export function groupOf(
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
