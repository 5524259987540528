import type { Instant } from '#libs/kernel/core';
import { previousSecretUntil, type Webhook } from './webhook.js';

/**
 * An endpoint as the API shows it. A secret is shown once, by the answer that made it. `pauses` are those of its workspace, by
 * the endpoint's id; `now` is the machine's time.
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
