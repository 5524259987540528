import type { Instant, NameTranslations } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { Aggregation } from '#libs/usage';

/** The fields of one version of a metric. */
export interface MetricDetails {
  name: string;
  /** The name in other languages. Absent if there are none, and in events of earlier versions. */
  nameTranslations?: NameTranslations;
  description: string | null;
  /** The name of the events that the metric counts. */
  eventName: string;
  aggregation: Aggregation;
}

export type MetricEvent =
  | DomainEvent<'MetricCreated', { metricId: string; at: Instant } & MetricDetails>
  | DomainEvent<'MetricUpdated', { metricId: string; version: number; at: Instant } & MetricDetails>
  /**
   * A price is about to charge for the metric, so the metric's stream stores a reference to the price. `priceRevision` is the revision that
   * the price's stream will have after the price has changed.
   */
  | DomainEvent<'MetricReferenced', { metricId: string; priceId: string; priceRevision: number }>
  | DomainEvent<'MetricDeleted', { metricId: string }>;

export const metricEvents: EventCatalog<MetricEvent> = {
  MetricCreated: v1,
  MetricUpdated: v1,
  MetricReferenced: v1,
  MetricDeleted: v1,
};
