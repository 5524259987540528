import { fieldSchemas, objectOf, type WebhookSchemas } from '../http/index.js';
import { UnmatchedWarningView } from './usage-event.dto.js';

const { instant, whole } = fieldSchemas;

/** The OpenAPI schemas of the webhook events about usage. */
export const usageWebhooks: WebhookSchemas = {
  resources: {},
  beside: {},
  own: {
    'usage.unmatched': objectOf({
      count: whole('The number of events that are not counted.', 17),
      since: instant('The time when the first of these events was stored.'),
      until: instant('The time when the last of these events was stored.'),
      warnings: {
        type: 'array',
        description: 'The reasons, by event name.',
        items: { $ref: `#/components/schemas/${UnmatchedWarningView.name}` },
      },
    }),
  },
};
