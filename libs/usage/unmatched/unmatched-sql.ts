import { isDeepStrictEqual } from 'node:util';
import {
  meterDefinitionOf,
  normaliseAggregation,
  type MetricDefinition,
  type NormalisedAggregation,
} from '../meters/definition.js';
import { aggregationSql, type SqlParameters } from '../meters/sql.js';

/** SQL conditions that select the events that no metric counts, or that a metric skips. */
export interface UnmatchedSql {
  /** The condition for a stream `t` that can contain uncounted events. */
  readonly streamCondition: string;
  /** The condition for an uncounted event `e` of the stream `t`. */
  readonly eventCondition: string;
}

/**
 * Returns conditions that select the events that no metric counts, or that a metric skips. The conditions apply the same rule as
 * `uncountedReasonsOf`, with the SQL expressions that also decide which events meters count. The conditions apply the current metrics, not
 * those that existed when the events were stored.
 *
 * @param metrics the current metrics of the workspace
 */
export function unmatchedSql(metrics: readonly MetricDefinition[], parameters: SqlParameters): UnmatchedSql {
  const complete: string[] = [];
  const cases: string[] = [];
  for (const [eventName, named] of Map.groupBy(metrics, (metric) => metric.eventName)) {
    const aggregations = named.map((metric) =>
      withoutGroups(normaliseAggregation(meterDefinitionOf(metric).aggregation)),
    );
    const condition = conditionOf(distinct(aggregations), parameters);
    if (condition === undefined) complete.push(eventName);
    else cases.push(`WHEN ${parameters.add(eventName, 'text')} THEN ${condition}`);
  }
  return {
    streamCondition:
      complete.length === 0 ? 'true' : `t.event_name <> ALL(${parameters.add(complete, 'text[]')})`,
    eventCondition: cases.length === 0 ? 'true' : `CASE t.event_name ${cases.join(' ')} ELSE true END`,
  };
}

/** Returns the condition for uncounted events with one name. Returns undefined if every event with the name is counted. */
function conditionOf(
  aggregations: readonly NormalisedAggregation[],
  parameters: SqlParameters,
): string | undefined {
  const isAlwaysCounted = aggregations.some(({ type, filter }) => type === 'count' && filter.length === 0);
  const counts: string[] = [];
  const skips: string[] = [];
  for (const aggregation of aggregations) {
    if (isAlwaysCounted && aggregation.type === 'count') continue;
    const { filterCondition: matches, value } = aggregationSql(aggregation, parameters);
    // The condition is null for an event without the property.
    const passesFilter = `coalesce(${matches}, false)`;
    if (aggregation.type === 'count') counts.push(passesFilter);
    else {
      counts.push(`(${passesFilter} AND ${value} IS NOT NULL)`);
      skips.push(`(${passesFilter} AND ${value} IS NULL)`);
    }
  }
  const unmatched = isAlwaysCounted ? skips : [...skips, `NOT (${counts.join(' OR ')})`];
  return unmatched.length === 0 ? undefined : `(${unmatched.join(' OR ')})`;
}

function withoutGroups(aggregation: NormalisedAggregation): NormalisedAggregation {
  return { ...aggregation, groupBy: [] };
}

function distinct(aggregations: readonly NormalisedAggregation[]): NormalisedAggregation[] {
  return aggregations.filter(
    (one, i) => aggregations.findIndex((other) => isDeepStrictEqual(one, other)) === i,
  );
}
