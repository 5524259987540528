import { parseJson } from '#libs/kernel/core';
import type { DeliveryWithAttempts } from './delivery-store.js';

/** A delivery with its attempts, as the API shows it. `payload` is the body that is sent. Personal texts are missing after an erasure. */
export function presentDelivery({ delivery, attempts }: DeliveryWithAttempts) {
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    event: delivery.event,
    status: delivery.status,
    failure: delivery.failure,
    test: delivery.isTest,
    createdAt: delivery.createdAt,
    nextAttemptAt: delivery.nextAttemptAt,
    attempts: attempts.map(({ number, attemptedAt, statusCode, error, durationMillis, response }) => ({
      number,
      attemptedAt,
      statusCode,
      error,
      durationMillis,
      response,
    })),
    payload: parseJson(delivery.body) as Record<string, unknown>,
  };
}
