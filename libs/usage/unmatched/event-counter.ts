import { contributionsTo, type Properties } from '../meters/contribution.js';
import { meteredBy, type MetricDefinition } from '../meters/definition.js';

/**
 * Why a metric, or all of them, do not count an event. `no_metric`: none has its name. `filtered_out`: none lets it in. The others are of
 * one metric, which skips it: it has nothing at the metric's property (`property_missing`), no number (`property_not_numeric`), or nothing
 * that can be told apart (`property_not_scalar`).
 */
export const FINDING_CODES = [
  'no_metric',
  'filtered_out',
  'property_missing',
  'property_not_numeric',
  'property_not_scalar',
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

/** One reason why an event is not counted. */
export interface Finding {
  readonly code: FindingCode;
  /** The metric that skips the event, and the property that it reads. */
  readonly metricId?: string;
  readonly property?: string;
}

/** What a metric does with an event: it `counts` it, its filter has `filtered` it out, or it skips it for the reason in the finding. */
export type Judgement = 'counts' | 'filtered' | Finding;

/** A metric in force, as it judges events of its name. */
export interface EventCounter {
  readonly metricId: string;
  judge(properties: Properties): Judgement;
}

/**
 * Returns the function that decides what a metric does with an event, by the metric's own rule. For SQL only the filter is checked. SQL has
 * a result for all selected events together, not for a single one.
 */
export function eventCounter(definition: MetricDefinition): EventCounter {
  const { metricId } = definition;
  const { aggregation } = meteredBy(definition);
  const { type, property } = aggregation;
  const contributionOf = contributionsTo(aggregation);
  const finding = (code: FindingCode): Finding => ({
    code,
    metricId,
    ...(property === undefined ? {} : { property }),
  });
  const missing = finding('property_missing');
  const unusable = finding(type === 'count_distinct' ? 'property_not_scalar' : 'property_not_numeric');
  return {
    metricId,
    judge(properties) {
      const contribution = contributionOf(properties);
      switch (contribution.kind) {
        case 'counted':
          return 'counts';
        case 'filtered':
          return 'filtered';
        case 'skipped':
          return contribution.fault === 'missing' ? missing : unusable;
      }
    },
  };
}

const NONE: readonly Finding[] = [];
const NO_METRIC: readonly Finding[] = [{ code: 'no_metric' }];
const FILTERED_OUT: readonly Finding[] = [{ code: 'filtered_out' }];

/**
 * Why an event is not counted, by the metrics that have its name: nothing if at least one counts it and none skips it. An event that one
 * metric counts and another skips has a finding too, because the quantity of the second metric is not billed.
 */
export function findingsOf(properties: Properties, counters: readonly EventCounter[]): readonly Finding[] {
  if (counters.length === 0) return NO_METRIC;
  let isCounted = false;
  let skips: Finding[] | undefined;
  for (const counter of counters) {
    const judgement = counter.judge(properties);
    if (judgement === 'counts') isCounted = true;
    else if (judgement !== 'filtered') (skips ??= []).push(judgement);
  }
  return skips ?? (isCounted ? NONE : FILTERED_OUT);
}
