import { isDeepStrictEqual } from 'node:util';
import { addSeconds, Conflict, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { webhookEventCatalog, type DisableReason, type WebhookDetails, type WebhookEvent } from './events.js';

/**
 * A webhook endpoint, as the events of its stream describe it. The stream contains the ids of the signing secrets, but never the secrets.
 */
export interface Webhook extends WebhookDetails {
  webhookId: string;
  enabled: boolean;
  /** The reason why the endpoint is disabled; `null` while it is enabled. */
  disabledReason: DisableReason | null;
  createdAt: Instant;
  /** The id of the secret that signs deliveries. The first secret has the id of the endpoint. */
  secretId: string;
  /**
   * The previous secret, and the time until which it also signs, by the machine's clock. The field keeps its value after that time. `null`
   * if a user ended the previous secret, if the rotation had no overlap, or before the first rotation.
   */
  previousSecret: { secretId: string; until: Instant } | null;
  deleted: boolean;
}

export type WebhookCommand =
  | { type: 'CreateWebhook'; at: Instant; webhookId: string; details: WebhookDetails }
  | { type: 'ChangeWebhook'; webhookId: string; changes: Partial<WebhookDetails> & { enabled?: boolean } }
  /** Disables an endpoint at which every attempt has failed for days. */
  | { type: 'GiveUpOnWebhook'; webhookId: string }
  | { type: 'TestWebhook'; webhookId: string; deliveryId: string; event?: string | undefined }
  /** `at` is the machine's time, since receivers use real time and not a test clock. */
  | {
      type: 'RotateWebhookSecret';
      at: Instant;
      webhookId: string;
      secretId: string;
      overlapSeconds: number;
    }
  | { type: 'EndPreviousWebhookSecret'; webhookId: string }
  | { type: 'DeleteWebhook'; webhookId: string };

type Of<Type extends WebhookCommand['type']> = Extract<WebhookCommand, { type: Type }>;

export const webhookDecider = defineDecider<Webhook, WebhookCommand, WebhookEvent>({
  category: 'webhook',
  events: webhookEventCatalog,
  decide(command, webhook) {
    switch (command.type) {
      case 'CreateWebhook':
        return createWebhook(command, webhook);
      case 'ChangeWebhook':
        return changeWebhook(command, requireWebhook(command.webhookId, webhook));
      case 'GiveUpOnWebhook':
        return giveUpOnWebhook(command, requireWebhook(command.webhookId, webhook));
      case 'TestWebhook':
        return testWebhook(command, requireWebhook(command.webhookId, webhook));
      case 'RotateWebhookSecret':
        return rotateWebhookSecret(command, requireWebhook(command.webhookId, webhook));
      case 'EndPreviousWebhookSecret':
        return endPreviousWebhookSecret(command, requireWebhook(command.webhookId, webhook));
      case 'DeleteWebhook':
        return deleteWebhook(command, requireWebhook(command.webhookId, webhook));
    }
  },
  evolve,
});

/** Returns the endpoint. Throws NotFound if the endpoint was never created or is deleted. */
export function requireWebhook(webhookId: string, webhook: Webhook | undefined): Webhook {
  if (!webhook || webhook.deleted) throw NotFound.of('webhook', webhookId);
  return webhook;
}

/** The time until which the previous secret also signs; `null` if it does not sign at the machine's time `at`. */
export function previousSecretUntil({ previousSecret }: Webhook, at: Instant): Instant | null {
  return previousSecret !== null && previousSecret.until > at ? previousSecret.until : null;
}

/**
 * Refuses a rotation after which three secrets would sign at the same time. A rotation without overlap is always allowed, because it ends
 * the current and the previous secret at once.
 */
export function requireSecretRotatable(webhook: Webhook, at: Instant, overlapSeconds: number): void {
  const until = previousSecretUntil(webhook, at);
  if (until !== null && overlapSeconds > 0)
    throw new Conflict(
      'secret_rotation_under_way',
      `The previous secret signs too until ${until}. End it with DELETE /v1/webhooks/${webhook.webhookId}/secret/previous, ` +
        'or rotate with "overlapSeconds": 0, which ends both at once',
    );
}

function createWebhook(
  { at, webhookId, details }: Of<'CreateWebhook'>,
  webhook: Webhook | undefined,
): WebhookEvent[] {
  if (webhook) return [];
  return [{ type: 'WebhookCreated', data: { webhookId, at, ...details } }];
}

function changeWebhook({ webhookId, changes }: Of<'ChangeWebhook'>, webhook: Webhook): WebhookEvent[] {
  const { enabled, ...details } = changes;
  const changed = Object.entries(details).filter(
    ([field, value]) =>
      value !== undefined && !isDeepStrictEqual(webhook[field as keyof WebhookDetails], value),
  );
  const events: WebhookEvent[] = [];
  if (changed.length > 0)
    events.push({ type: 'WebhookChanged', data: { webhookId, ...Object.fromEntries(changed) } });
  if (enabled === true && !webhook.enabled) events.push({ type: 'WebhookEnabled', data: { webhookId } });
  if (enabled === false && webhook.enabled)
    events.push({ type: 'WebhookDisabled', data: { webhookId, reason: 'requested' } });
  return events;
}

function giveUpOnWebhook({ webhookId }: Of<'GiveUpOnWebhook'>, webhook: Webhook): WebhookEvent[] {
  return webhook.enabled ? [{ type: 'WebhookDisabled', data: { webhookId, reason: 'failing' } }] : [];
}

/** Tests an endpoint. A disabled endpoint can also be tested, to find out whether it works again. */
function testWebhook({ webhookId, deliveryId, event }: Of<'TestWebhook'>, _webhook: Webhook): WebhookEvent[] {
  const data = { webhookId, deliveryId, ...(event === undefined ? {} : { event }) };
  return [{ type: 'WebhookTestRequested', data }];
}

function rotateWebhookSecret(
  { at, webhookId, secretId, overlapSeconds }: Of<'RotateWebhookSecret'>,
  webhook: Webhook,
): WebhookEvent[] {
  requireSecretRotatable(webhook, at, overlapSeconds);
  const previousUntil = overlapSeconds > 0 ? addSeconds(at, overlapSeconds) : null;
  return [{ type: 'WebhookSecretRotated', data: { webhookId, secretId, previousUntil } }];
}

function endPreviousWebhookSecret(
  { webhookId }: Of<'EndPreviousWebhookSecret'>,
  webhook: Webhook,
): WebhookEvent[] {
  return webhook.previousSecret ? [{ type: 'WebhookPreviousSecretEnded', data: { webhookId } }] : [];
}

function deleteWebhook({ webhookId }: Of<'DeleteWebhook'>, _webhook: Webhook): WebhookEvent[] {
  return [{ type: 'WebhookDeleted', data: { webhookId } }];
}

function evolve(state: Webhook | undefined, event: WebhookEvent): Webhook {
  if (event.type === 'WebhookCreated') {
    const { at: createdAt, ...details } = event.data;
    return {
      ...details,
      createdAt,
      enabled: true,
      disabledReason: null,
      secretId: details.webhookId,
      previousSecret: null,
      deleted: false,
    };
  }
  const webhook = requireCreated(state, event);
  switch (event.type) {
    case 'WebhookChanged':
      return { ...webhook, ...event.data };
    case 'WebhookEnabled':
      return { ...webhook, enabled: true, disabledReason: null };
    case 'WebhookDisabled':
      return { ...webhook, enabled: false, disabledReason: event.data.reason };
    case 'WebhookTestRequested':
      return webhook;
    case 'WebhookSecretRotated': {
      const { secretId, previousUntil } = event.data;
      const previousSecret =
        previousUntil === null ? null : { secretId: webhook.secretId, until: previousUntil };
      return { ...webhook, secretId, previousSecret };
    }
    case 'WebhookPreviousSecretEnded':
      return { ...webhook, previousSecret: null };
    case 'WebhookDeleted':
      return { ...webhook, deleted: true };
  }
}
