import type { MetricEvent } from './metrics/events.js';
import type { PlanEvent } from './plans/events.js';
import type { PriceEvent } from './prices/events.js';
import { presentPriceConfig } from '#libs/rating';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

export const auditTrailRules: AuditTrailRules<MetricEvent | PriceEvent | PlanEvent> = {
  MetricCreated: { action: 'metric.created', id: 'metricId', show: ['name', 'eventName'] },
  MetricUpdated: { action: 'metric.updated', id: 'metricId', show: ['version', 'name', 'eventName'] },
  MetricReferenced: INTERNAL,
  MetricDeleted: { action: 'metric.deleted', id: 'metricId' },
  PriceCreated: {
    action: 'price.created',
    id: 'priceId',
    show: ['name', 'metricId', 'cadence', 'timing'],
    showAs: { config: presentPriceConfig },
  },
  PriceUpdated: {
    action: 'price.version_created',
    id: 'priceId',
    show: ['version', 'name', 'metricId', 'cadence', 'timing'],
    showAs: { config: presentPriceConfig },
  },
  PriceReferenced: INTERNAL,
  PriceChangeOvertaken: INTERNAL,
  PriceDeleted: { action: 'price.deleted', id: 'priceId' },
  PlanCreated: {
    action: 'plan.created',
    id: 'planId',
    show: ['name', 'prices', 'currency', 'trialDays', 'visibility', 'minimumCommitment', 'billingThresholds'],
  },
  PlanUpdated: {
    action: 'plan.version_created',
    id: 'planId',
    show: [
      'version',
      'name',
      'prices',
      'currency',
      'trialDays',
      'visibility',
      'minimumCommitment',
      'billingThresholds',
    ],
  },
  PlanPublished: { action: 'plan.published', id: 'planId', show: ['version'] },
  PlanVersionRestored: { action: 'plan.version_restored', id: 'planId', show: ['version'] },
  PlanChangeOvertaken: INTERNAL,
  PlanDeleted: { action: 'plan.deleted', id: 'planId' },
};
