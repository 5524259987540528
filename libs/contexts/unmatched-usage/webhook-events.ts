import { EXAMPLE, type WebhookEvents } from '#libs/manifest';
import type { UnmatchedUsageReportEvent } from './events.js';

const { periodStart, periodEnd } = EXAMPLE;
const unmatched: UnmatchedUsageReportEvent[] = [
  {
    type: 'UnmatchedUsageReported',
    data: {
      ...{ count: 3, since: periodStart, until: periodEnd, at: periodEnd },
      warnings: [
        {
          ...{
            code: 'no_metric',
            eventName: 'api_cal',
            count: 3,
            eventIds: ['use_01JD0000000000000EXAMPLE17'],
          },
          reason:
            'No metric has the event name "api_cal"; a metric that has it counts these events too, whenever it is made',
        },
      ],
    },
  },
];

/** The webhook events about uncounted usage. */
export const webhookEvents: WebhookEvents<UnmatchedUsageReportEvent> = {
  names: ['usage.unmatched'],
  messages: {
    UnmatchedUsageReported: ({ count, since, until, warnings }) => ({
      event: 'usage.unmatched',
      data: { count, since, until, warnings },
    }),
  },
  resources: [],
  examples: { 'usage.unmatched': unmatched },
};
