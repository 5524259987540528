import { EXAMPLE, type WebhookEvents } from '#libs/manifest';
import type { UnmatchedUsageReportEvent } from './events.js';

const { periodStart, periodEnd } = EXAMPLE;
const unmatched: UnmatchedUsageReportEvent[] = [
  {
    type: 'UnmatchedUsageReported',
    data: {
      count: 3,
      since: periodStart,
      until: periodEnd,
      at: periodEnd,
      warnings: [
        {
          code: 'no_metric',
          eventName: 'api_cal',
          count: 3,
          eventIds: ['use_01JD0000000000000EXAMPLE17'],
          reason:
            'No metric has the event name "api_cal"; a metric that has it counts these events too, whenever it is made',
        },
      ],
    },
  },
];

const unpriced: UnmatchedUsageReportEvent[] = [
  {
    type: 'UnpricedUsageReported',
    data: {
      count: 2,
      since: periodStart,
      until: periodEnd,
      at: periodEnd,
      warnings: [
        {
          code: 'unpriced',
          eventName: 'api_call',
          metricId: 'met_01JD0000000000000EXAMPLE02',
          count: 2,
          eventIds: ['use_01JD0000000000000EXAMPLE18'],
          reason:
            'Metric met_01JD0000000000000EXAMPLE02 counts these events of the name "api_call", but no price of their customers\' subscriptions charges it; add a price with this metric to the plan or the subscription',
        },
      ],
    },
  },
];

/** The webhook events about uncounted and unpriced usage. */
export const webhookEvents: WebhookEvents<UnmatchedUsageReportEvent> = {
  names: ['usage.unmatched', 'usage.unpriced'],
  messages: {
    UnmatchedUsageReported: ({ count, since, until, warnings }) => ({
      event: 'usage.unmatched',
      data: { count, since, until, warnings },
    }),
    UnpricedUsageReported: ({ count, since, until, warnings }) => ({
      event: 'usage.unpriced',
      data: { count, since, until, warnings },
    }),
  },
  resources: [],
  examples: { 'usage.unmatched': unmatched, 'usage.unpriced': unpriced },
};
