import { createCounter, createHistogram } from '#libs/kernel/telemetry';

/** Attempts by outcome: `acknowledged` (any 2xx), `refused` (another response) or `unanswered`. */
export const deliveryAttempts = createCounter('webhook_attempts_total', 'Attempts at webhook deliveries', [
  'outcome',
]);
export const attemptDurations = createHistogram(
  'webhook_attempt_duration_seconds',
  'Time that a receiver took to answer, or to fail to',
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
);
/**
 * Ended deliveries by outcome: `delivered`, `failed` (no attempt was acknowledged), or `abandoned` (the endpoint is disabled or deleted).
 */
export const endedDeliveries = createCounter(
  'webhook_deliveries_total',
  'Webhook deliveries that came to an end',
  ['outcome'],
);
