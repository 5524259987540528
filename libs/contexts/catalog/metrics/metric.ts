import { Conflict, NotFound, translatedName, type Instant, type Language } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import type { Aggregation } from '#libs/usage';
import { withChanges, withoutUnchangedTranslations } from '../details.js';
import { areAllChecked, withReference, type References } from '../references.js';
import { metricEvents, type MetricDetails, type MetricEvent } from './events.js';

/** One version of a metric. The last version of a metric is the current version. */
export interface MetricVersion extends MetricDetails {
  version: number;
  createdAt: Instant;
}

/** The state of a metric, from its events. */
export interface Metric {
  metricId: string;
  createdAt: Instant;
  deleted: boolean;
  versions: MetricVersion[];
  /** The prices that charge or once charged for the metric, or that began a change to charge for it. */
  references: References;
}

export type MetricCommand =
  | { type: 'CreateMetric'; at: Instant; metricId: string; details: MetricDetails }
  /**
   * `checkedReferences` has the references to prices that the change has checked. Only a change that {@link isNarrowedBy} describes needs
   * them. The prices in `checkedReferences` can charge for the metric after the change, now and later.
   */
  | {
      type: 'UpdateMetric';
      at: Instant;
      metricId: string;
      changes: Partial<MetricDetails>;
      checkedReferences?: References;
    }
  | { type: 'ReferenceMetric'; metricId: string; priceId: string; priceRevision: number }
  /**
   * `checkedReferences` has the references to prices that the deletion has checked. The prices in `checkedReferences` do not use the metric
   * now, and cannot use it later.
   */
  | { type: 'DeleteMetric'; metricId: string; checkedReferences: References };

type Of<Type extends MetricCommand['type']> = Extract<MetricCommand, { type: Type }>;

export const metricDecider = defineDecider<Metric, MetricCommand, MetricEvent>({
  category: 'metric',
  events: metricEvents,
  decide(command, metric) {
    switch (command.type) {
      case 'CreateMetric':
        return createMetric(command, metric);
      case 'UpdateMetric':
        return updateMetric(command, requireMetric(command.metricId, metric));
      case 'ReferenceMetric':
        return referenceMetric(command, requireMetric(command.metricId, metric));
      case 'DeleteMetric':
        return deleteMetric(command, requireMetric(command.metricId, metric));
    }
  },
  evolve,
});

/** Returns the metric. Throws NotFound if the metric was never created or is deleted. */
export function requireMetric(metricId: string, metric: Metric | undefined): Metric {
  if (!metric || metric.deleted) throw NotFound.of('metric', metricId);
  return metric;
}

/** The current version. */
export function currentMetricVersion(metric: Metric): MetricVersion {
  return metric.versions.at(-1)!;
}

/** The present name of a metric in a language. */
export function metricNameIn(metric: Metric, language: Language): string {
  const { name, nameTranslations } = currentMetricVersion(metric);
  return translatedName(name, nameTranslations, language);
}

/**
 * Creates a metric. The metric's id is derived from the command. So if a metric with this id exists, an earlier run of this command created
 * it.
 */
function createMetric(
  { at, metricId, details }: Of<'CreateMetric'>,
  metric: Metric | undefined,
): MetricEvent[] {
  if (metric) return [];
  return [{ type: 'MetricCreated', data: { metricId, at, ...details } }];
}

function updateMetric(
  { at, metricId, changes, checkedReferences = {} }: Of<'UpdateMetric'>,
  metric: Metric,
): MetricEvent[] {
  const { version, createdAt: _, ...details } = currentMetricVersion(metric);
  const changed = withChanges<MetricDetails>(details, withoutUnchangedTranslations(changes, details));
  if (!changed) return [];
  const becomesSql = changed.aggregation.type === 'sql' && details.aggregation.type !== 'sql';
  if (becomesSql && Object.keys(metric.references).length > 0)
    throw new Conflict(
      'metric_in_use',
      'A price charges or has charged for this metric, and not every price can charge for SQL; create another metric with the SQL, and a price for it',
    );
  if (
    isNarrowedBy(details.aggregation, changed.aggregation) &&
    !areAllChecked(metric.references, checkedReferences)
  )
    throw new Conflict('metric_in_use', 'A price that charges for this metric is being made; try again');
  return [{ type: 'MetricUpdated', data: { metricId, version: version + 1, at, ...changed } }];
}

/** Tells whether a price may be unable to charge for the metric after a change: it is no longer a sum, or groups by fewer properties. */
export function isNarrowedBy(before: Aggregation, after: Aggregation): boolean {
  if (before.type === 'sum' && after.type !== 'sum') return true;
  const { groupBy = [] } = after;
  return (before.groupBy ?? []).some((property) => !groupBy.includes(property));
}

function referenceMetric(
  { metricId, priceId, priceRevision }: Of<'ReferenceMetric'>,
  metric: Metric,
): MetricEvent[] {
  if (withReference(metric.references, priceId, priceRevision) === metric.references) return [];
  return [{ type: 'MetricReferenced', data: { metricId, priceId, priceRevision } }];
}

function deleteMetric({ metricId, checkedReferences }: Of<'DeleteMetric'>, metric: Metric): MetricEvent[] {
  if (!areAllChecked(metric.references, checkedReferences))
    throw new Conflict(
      'metric_in_use',
      'A price that charges for this metric is being made; delete that price first',
    );
  return [{ type: 'MetricDeleted', data: { metricId } }];
}

function evolve(state: Metric | undefined, event: MetricEvent): Metric {
  if (event.type === 'MetricCreated') {
    const { metricId, at: createdAt, ...details } = event.data;
    const first = { version: 1, createdAt, ...details };
    return { metricId, createdAt, deleted: false, versions: [first], references: {} };
  }
  const metric = requireCreated(state, event);
  switch (event.type) {
    case 'MetricUpdated': {
      const { metricId: _, at: createdAt, ...details } = event.data;
      return { ...metric, versions: [...metric.versions, { createdAt, ...details }] };
    }
    case 'MetricReferenced': {
      const { priceId, priceRevision } = event.data;
      return { ...metric, references: withReference(metric.references, priceId, priceRevision) };
    }
    case 'MetricDeleted':
      return { ...metric, deleted: true };
  }
}
