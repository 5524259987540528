import { fieldSchemas, objectSchema, type WebhookSchemas } from '../http/index.js';
import { CustomerView } from './customer.dto.js';

const { text } = fieldSchemas;

/** The OpenAPI schemas of the webhook events about customers. */
export const customerWebhooks: WebhookSchemas = {
  resources: { customer: CustomerView },
  additionalFields: {},
  wholeData: {
    'customer.deleted': objectSchema({
      id: text('The id of the customer.', 'cust_northwind'),
      deleted: {
        type: 'boolean',
        const: true,
        description: 'Always true: the customer was deleted.',
        example: true,
      },
    }),
  },
};
