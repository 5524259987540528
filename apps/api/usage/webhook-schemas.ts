import { fields, objectOf, type WebhookSchemas } from '../http/index.js';
import { UnmatchedWarningView } from './usage-event.dto.js';

const { instant, whole } = fields;

/** How the OpenAPI document describes what webhooks send. */
export const webhooks: WebhookSchemas = {
  resources: {},
  beside: {},
  own: {
    'usage.unmatched': objectOf({
      count: whole('How many events are not counted.', 17),
      since: instant('When the first of them was stored.'),
      until: instant('When the last of them was stored.'),
      warnings: {
        type: 'array',
        description: 'Why, by event name.',
        items: { $ref: `#/components/schemas/${UnmatchedWarningView.name}` },
      },
    }),
  },
};
