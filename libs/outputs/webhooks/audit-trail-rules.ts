import type { WebhookEvent } from './events.js';
import type { AuditTrailRules } from '#libs/manifest';

/** The audit trail does not show the URL of an endpoint, since the URL may contain a token. */
export const auditTrailRules: AuditTrailRules<WebhookEvent> = {
  WebhookCreated: { action: 'webhook.created', id: 'webhookId', show: ['events'] },
  WebhookChanged: { action: 'webhook.updated', id: 'webhookId', show: ['events'], changes: true },
  WebhookEnabled: { action: 'webhook.enabled', id: 'webhookId' },
  WebhookDisabled: { action: 'webhook.disabled', id: 'webhookId', show: ['reason'] },
  WebhookTestRequested: { action: 'webhook.tested', id: 'webhookId', show: ['deliveryId', 'event'] },
  WebhookSecretRotated: { action: 'webhook.secret_rotated', id: 'webhookId', show: ['previousUntil'] },
  WebhookPreviousSecretEnded: { action: 'webhook.previous_secret_ended', id: 'webhookId' },
  WebhookDeleted: { action: 'webhook.deleted', id: 'webhookId' },
};
