import type { Instant } from '#libs/kernel/core';
import { previousSecretUntil, type Webhook } from './webhook.js';

/**
 * A webhook endpoint, as the API shows it. The signing secret is not included, because only the response to the request that creates a
 * secret shows it. `pauses` contains the result of `EndpointStore.pauseEndsOf`; `now` is the machine's time.
 */
export function presentWebhook(webhook: Webhook, pauses: ReadonlyMap<string, Instant>, now: Instant) {
  return {
    id: webhook.webhookId,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    disabledReason: webhook.disabledReason,
    pausedUntil: pauses.get(webhook.webhookId) ?? null,
    previousSecretUntil: previousSecretUntil(webhook, now),
    createdAt: webhook.createdAt,
  };
}
