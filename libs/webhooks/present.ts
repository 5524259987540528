import type { Webhook } from './webhook.js';

/** An endpoint as the API shows it. The secret is shown once, by the answer to its creation. */
export function presentWebhook(webhook: Webhook) {
  return {
    id: webhook.webhookId,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    disabledReason: webhook.disabledReason,
    createdAt: webhook.createdAt,
  };
}
