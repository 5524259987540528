import { fieldSchemas, type WebhookSchemas } from '../http/index.js';
import { DunningProcessView } from './dunning.dto.js';

/** The OpenAPI schemas of the webhook events about dunning. */
export const dunningWebhooks: WebhookSchemas = {
  resources: { dunning: DunningProcessView },
  additionalFields: {
    'dunning.step_taken': {
      step: fieldSchemas.wholeNumber('The number of the step that was taken, from 1.', 1),
    },
  },
  wholeData: {},
};
