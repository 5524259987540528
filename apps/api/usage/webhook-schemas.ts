import { fieldSchemas, objectSchema, type WebhookSchemas } from '../http/index.js';
import { UnmatchedWarningView } from './usage-event.dto.js';

const { instant, wholeNumber: whole } = fieldSchemas;

/** The OpenAPI schemas of the webhook events about usage. */
export const usageWebhooks: WebhookSchemas = {
  resources: {},
  additionalFields: {},
  wholeData: {
    'usage.unmatched': objectSchema({
      count: whole('The number of events that are not counted.', 17),
      since: instant('The time when the first of these events was stored.'),
      until: instant('The time when the last of these events was stored.'),
      warnings: {
        type: 'array',
        description: 'The reasons why the events are not counted, by event name.',
        items: { $ref: `#/components/schemas/${UnmatchedWarningView.name}` },
      },
    }),
    'usage.unpriced': objectSchema({
      count: whole('The number of events that metrics count and that nothing charges.', 2),
      since: instant('The time when the first of these events was stored.'),
      until: instant('The time when the last of these events was stored.'),
      warnings: {
        type: 'array',
        description: 'The metrics that count the events, by event name.',
        items: { $ref: `#/components/schemas/${UnmatchedWarningView.name}` },
      },
    }),
  },
};
