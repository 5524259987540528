import { decimalSchema, fieldSchemas, objectSchema, type WebhookSchemas } from '../http/index.js';

const { text, textOrNull, instant } = fieldSchemas;
const quantity = (description: string, example: number) => ({ ...decimalSchema(), description, example });

/** The OpenAPI schema of the webhook event about usage limits. */
export const usageLimitWebhooks: WebhookSchemas = {
  resources: {},
  additionalFields: {},
  wholeData: {
    'usage.limit': objectSchema({
      limitId: text('The id of the limit.', 'lim_01JD0000000000000000000000'),
      customerId: text('The id of the customer.', 'cust_northwind'),
      metricId: text('The id of the metric.', 'met_01JD0000000000000000000000'),
      per: text('The span of time in which usage adds up: `day`, `month`, `period` or `lifetime`.', 'month'),
      action: text('What happens to usage beyond the limit: `block` or `notify`.', 'block'),
      threshold: quantity(
        'The fraction of the limit that was reached. 1: the limit itself was reached, or an event was refused because of the limit.',
        0.8,
      ),
      limit: quantity('The limit at the time `reachedAt`.', 1_000),
      used: quantity('The quantity that was used until `reachedAt`.', 800),
      windowStart: instant('The time from which usage is counted.'),
      resetsAt: textOrNull(
        'The time at which `used` is reset to zero. Null if `used` is never reset.',
        '2026-02-01T00:00:00.000Z',
      ),
      reachedAt: instant("The time when the threshold was reached, by the workspace's clock."),
    }),
  },
};
