import type { Instant } from '#libs/core';
import type { Webhook } from './webhook.js';

/**
 * An endpoint as the API shows it. The secret is shown once, by the answer to its creation. `pauses` are those of its workspace, by
 * the endpoint's id.
 */
export function presentWebhook(webhook: Webhook, pauses: ReadonlyMap<string, Instant>) {
  return {
    id: webhook.webhookId,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    disabledReason: webhook.disabledReason,
    pausedUntil: pauses.get(webhook.webhookId) ?? null,
    createdAt: webhook.createdAt,
  };
}
