import { createContribution, type Properties } from '../meters/contribution.js';
import { meterDefinitionOf, type MetricDefinition } from '../meters/definition.js';

/**
 * The reasons why metrics do not count an event. `no_metric` means that no metric has the event's name. `filtered_out` means that the
 * filters of all metrics exclude the event. Each other reason belongs to one metric, which skips the event. For the other reasons, the
 * property's value is missing (`property_missing`), is not a number (`property_not_numeric`), or cannot be compared
 * (`property_not_scalar`).
 */
export const UNCOUNTED_REASON_CODES = [
  'no_metric',
  'filtered_out',
  'property_missing',
  'property_not_numeric',
  'property_not_scalar',
] as const;
export type UncountedReasonCode = (typeof UNCOUNTED_REASON_CODES)[number];

/** The code of usage that a metric counts, but that no price and no credits charge to its customer. */
export const UNPRICED = 'unpriced';

/** One reason why an event is on no invoice. */
export interface UsageFinding {
  readonly code: UncountedReasonCode | typeof UNPRICED;
  /**
   * The metric that skips the event, or that counts an unpriced event. Absent if the reason does not belong to a single metric.
   */
  readonly metricId?: string;
  /** The event property that a metric reads. Absent unless the metric skips the event. */
  readonly property?: string;
}

/** One reason why an event is not counted. */
export interface UncountedReason extends UsageFinding {
  readonly code: UncountedReasonCode;
}

/** A metric that counts an event whose customer no price of the metric charges. */
export interface UnpricedReason extends UsageFinding {
  readonly code: typeof UNPRICED;
  readonly metricId: string;
}

/**
 * The result of applying one metric to an event. `counts` means that the metric counts the event. `filtered` means that the filter excludes
 * the event. An {@link UncountedReason} means that the metric skips the event for this reason.
 */
export type UsageCountingResult = 'counts' | 'filtered' | UncountedReason;

/** The rule by which a current metric counts events with its event name. */
export interface CountingRule {
  readonly metricId: string;
  /** The reason to give for events that the metric counts and no price charges. */
  readonly unpriced: UnpricedReason;
  resultFor(properties: Properties): UsageCountingResult;
}

/**
 * Returns the rule that tells whether a metric counts an event. For an SQL metric, the rule checks only the filter. The SQL of a metric has
 * no result for a single event.
 */
export function countingRuleOf(definition: MetricDefinition): CountingRule {
  const { metricId } = definition;
  const { aggregation } = meterDefinitionOf(definition);
  const { type, property } = aggregation;
  const contributionOf = createContribution(aggregation);
  const finding = (code: UncountedReasonCode): UncountedReason => ({
    code,
    metricId,
    ...(property === undefined ? {} : { property }),
  });
  const missing = finding('property_missing');
  const unusable = finding(type === 'count_distinct' ? 'property_not_scalar' : 'property_not_numeric');
  return {
    metricId,
    unpriced: { code: UNPRICED, metricId },
    resultFor(properties) {
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

const NONE: readonly never[] = [];
const NO_METRIC: readonly UncountedReason[] = [{ code: 'no_metric' }];
const FILTERED_OUT: readonly UncountedReason[] = [{ code: 'filtered_out' }];

/**
 * Returns the reasons why an event is not counted. `counters` contains the rules of the metrics with the event's name. Returns an empty
 * list if at least one metric counts the event and no metric skips it. If one metric counts the event and another metric skips it, the list
 * has the reason of the metric that skips it.
 */
export function uncountedReasonsOf(
  properties: Properties,
  counters: readonly CountingRule[],
): readonly UncountedReason[] {
  if (counters.length === 0) return NO_METRIC;
  let isCounted = false;
  let skips: UncountedReason[] | undefined;
  for (const counter of counters) {
    const judgement = counter.resultFor(properties);
    if (judgement === 'counts') isCounted = true;
    else if (judgement !== 'filtered') (skips ??= []).push(judgement);
  }
  return skips ?? (isCounted ? NONE : FILTERED_OUT);
}

/**
 * Returns the reasons why an event that metrics count is charged to nobody: one for each metric that counts the event. Returns an empty
 * list if a metric that counts the event is charged.
 *
 * @param counters the rules of the metrics with the event's name
 * @param isCharged tells whether a price or credits charge the usage of a metric to the event's customer
 */
export function unpricedReasonsOf(
  properties: Properties,
  counters: readonly CountingRule[],
  isCharged: (metricId: string) => boolean,
): readonly UnpricedReason[] {
  const charged = counters.filter(({ metricId }) => isCharged(metricId));
  if (charged.length === counters.length) return NONE;
  if (charged.some((counter) => counter.resultFor(properties) === 'counts')) return NONE;
  return counters
    .filter((counter) => counter.resultFor(properties) === 'counts')
    .map(({ unpriced }) => unpriced);
}
