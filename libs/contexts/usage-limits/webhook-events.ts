import { jsonNumber } from '#libs/kernel/core';
import { EXAMPLE, type WebhookEvents } from '#libs/manifest';
import type { LimitWindowEvent } from './warnings/events.js';

const { customerId, periodStart: windowStart, periodEnd: windowEnd } = EXAMPLE;
const limitId = 'lim_01JD0000000000000EXAMPLE22';
const reached: LimitWindowEvent[] = [
  {
    type: 'UsageLimitReached',
    data: {
      limitId,
      customerId,
      metricId: 'met_01JD0000000000000EXAMPLE23',
      per: 'month',
      action: 'block',
      threshold: '0.8',
      limit: '1000',
      used: '800',
      windowStart,
      windowEnd,
      at: windowStart,
    },
  },
];

/** The webhook event about usage limits. The webhook `usage.limit` is sent once for each limit, customer, window and threshold. */
export const webhookEvents: WebhookEvents<LimitWindowEvent> = {
  names: ['usage.limit'],
  messages: {
    UsageLimitReached: ({ limitId: id, customerId: customer, metricId, per, action, at, ...use }) => ({
      event: 'usage.limit',
      data: {
        limitId: id,
        customerId: customer,
        metricId,
        per,
        action,
        threshold: jsonNumber(use.threshold),
        limit: jsonNumber(use.limit),
        used: jsonNumber(use.used),
        windowStart: use.windowStart,
        resetsAt: use.windowEnd,
        reachedAt: at,
      },
    }),
  },
  resources: [],
  examples: { 'usage.limit': reached },
};
