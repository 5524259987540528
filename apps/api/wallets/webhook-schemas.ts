import { decimalSchema, fieldSchemas, objectSchema, type WebhookSchemas } from '../http/index.js';

const INVOICE_ID = 'inv_01JD0000000000000000000000';
const { text, textOrNull, instant, wholeNumber: whole } = fieldSchemas;
const credits = (description: string, example: number) => ({ ...decimalSchema(), description, example });
const wallet = {
  customerId: text('The id of the customer.', 'cust_northwind'),
  creditType: text('The id of the credit type.', 'ai-credits'),
};
const balance = credits('The number of credits that can be used right after the event.', 500);

/**
 * The fields of a block of credits. The parameters `source` and `costBasis` are the examples that the OpenAPI document shows for these two
 * fields.
 */
const block = (source: string, costBasis: number | null) => ({
  id: text('The id of the block.', 'blk_01JD0000000000000000000000'),
  ...wallet,
  source: text('Where the credits come from: `grant`, `promotional` or `purchase`.', source),
  status: text('`active`, or `scheduled` if the credits cannot be used yet.', 'active'),
  amount: credits('The number of credits of the block.', 500),
  remaining: credits('The number of credits that are left.', 500),
  blocked: credits(
    'The part of `remaining` that cannot be used, because the purchase is disputed, refunded or lost.',
    0,
  ),
  priority: whole('The priority of the credits; lower is used first.', 0),
  effectiveAt: instant('The time from which the credits can be used.'),
  expiresAt: textOrNull(
    'The time from which the credits can no longer be used. If null, they never expire.',
    '2026-12-31T00:00:00.000Z',
  ),
  costBasis: {
    type: ['number', 'null'],
    description: 'The amount that was paid for the credits, without taxes. Null if the amount is not known.',
    example: costBasis,
  },
  currency: text('The currency of `costBasis`.', 'USD'),
  description: textOrNull('The note of the block.', 'Welcome'),
  invoiceId: textOrNull(
    'The id of the invoice that paid for the block. Null if it was not bought.',
    INVOICE_ID,
  ),
  allowance: {
    ...objectSchema({
      id: text('The id of the allowance.', 'alw_01JD0000000000000000000000'),
      subscriptionId: text('The id of the subscription.', 'sub_01JD0000000000000000000000'),
      rolledOver: credits('How many credits were carried over from the interval before.', 200),
    }),
    type: ['object', 'null'],
    description: 'If the credits are the allowance of a plan: this allowance. Otherwise null.',
    example: null,
  },
  createdAt: instant('The time at which the block was added to the wallet.'),
  balance,
});
const balanceOf = (at: string) => ({ ...wallet, at: instant(at), balance });

const returnedPart = (amount: string, at: string) => ({
  ...wallet,
  blockId: text('The id of the block.', 'blk_01JD0000000000000000000000'),
  invoiceId: text('The invoice that bought the credits.', 'inv_01JD0000000000000000000000'),
  amount: credits(amount, 400),
  balance,
  at: instant(at),
});

/** How the OpenAPI document describes the webhook events about credits. */
export const creditWebhooks: WebhookSchemas = {
  resources: {},
  additionalFields: {},
  wholeData: {
    'credit.grant': objectSchema(block('promotional', null)),
    'credit.purchase_activated': objectSchema(block('purchase', 10)),
    'credit.expired': objectSchema({
      ...wallet,
      blockId: text('The id of the block.', 'blk_01JD0000000000000000000000'),
      amount: credits('The number of credits that expired.', 120),
      balance,
      expiredAt: instant('The time of the expiry.'),
    }),
    'credit.taken_back': objectSchema({
      ...returnedPart(
        'The number of credits that were taken back.',
        'The time at which they were taken back.',
      ),
      cause: text(
        'How the money went back: `refund` (at the payment processor) or `dispute` (lost).',
        'refund',
      ),
    }),
    'credit.blocked': objectSchema(
      returnedPart('The number of credits that can no longer be used.', 'The time of the change.'),
    ),
    'credit.released': objectSchema(
      returnedPart('The number of credits that are no longer blocked.', 'The time of the change.'),
    ),
    'credit.balance_low': objectSchema({
      ...balanceOf(
        'The time at which the balance came to the threshold or below, but not to zero, or at which usage was refused that costs more.',
      ),
      threshold: credits('The threshold of the automatic top-up.', 100),
    }),
    'credit.balance_depleted': objectSchema(
      balanceOf('The time at which the last credits were used, expired or were voided.'),
    ),
    'credit.balance_recovered': objectSchema(
      balanceOf('The time at which the balance was above zero and above the threshold again.'),
    ),
  },
};
