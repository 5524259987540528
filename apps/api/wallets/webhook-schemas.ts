import { decimal, fields, objectOf, type WebhookSchemas } from '../http/index.js';

const { text, textOrNull, instant, whole } = fields;
const credits = (description: string, example: number) => ({ ...decimal(), description, example });
const wallet = {
  customerId: text('The id of the customer.', 'cust_northwind'),
  creditType: text('The id of the credit type.', 'ai-credits'),
};
const balance = credits('The number of credits that can be used right after the event.', 500);

/** How the OpenAPI document describes the webhook events about credits. */
export const webhooks: WebhookSchemas = {
  resources: {},
  beside: {},
  own: {
    'credit.grant': objectOf({
      id: text('The id of the block.', 'blk_01JD0000000000000000000000'),
      ...wallet,
      source: text('Where the credits come from: `grant`, `promotional` or `purchase`.', 'promotional'),
      status: text('`active`, or `scheduled` if the credits cannot be used yet.', 'active'),
      amount: credits('The number of credits that were granted.', 500),
      remaining: credits('The number of credits that are left.', 500),
      priority: whole('The priority of the credits; lower is used first.', 0),
      effectiveAt: instant('The time from which the credits can be used.'),
      expiresAt: textOrNull(
        'The time from which the credits can no longer be used. Null: never.',
        '2026-12-31T00:00:00.000Z',
      ),
      costBasis: {
        type: ['number', 'null'],
        description: 'The amount that was paid for the credits. Null if it is not known.',
        example: null,
      },
      currency: text('The currency of `costBasis`.', 'USD'),
      description: textOrNull('The note of the grant.', 'Welcome'),
      createdAt: instant('The time of the grant.'),
      balance,
    }),
    'credit.expired': objectOf({
      ...wallet,
      blockId: text('The id of the block.', 'blk_01JD0000000000000000000000'),
      amount: credits('The number of credits that expired.', 120),
      balance,
      expiredAt: instant('The time of the expiry.'),
    }),
  },
};
