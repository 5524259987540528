import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The URL of an endpoint and its subscriptions: names of public events, or `*` for all. */
export interface WebhookDetails {
  url: string;
  events: string[];
}

/**
 * Why a webhook is off. The reason `requested` means that a user disabled the webhook. The reason `failing` means that every attempt at the
 * endpoint has failed for days.
 */
export type DisableReason = 'requested' | 'failing';

/** A domain event of a webhook endpoint. */
export type WebhookEvent =
  | DomainEvent<'WebhookCreated', { webhookId: string; at: Instant } & WebhookDetails>
  | DomainEvent<'WebhookChanged', { webhookId: string } & Partial<WebhookDetails>>
  | DomainEvent<'WebhookEnabled', { webhookId: string }>
  | DomainEvent<'WebhookDisabled', { webhookId: string; reason: DisableReason }>
  /**
   * A test was requested. The request for a test chooses the id of the delivery, so that the caller can wait for that delivery. `event` is
   * the public event for which an example is sent. Without `event`, a `webhook.test` is sent.
   */
  | DomainEvent<'WebhookTestRequested', { webhookId: string; deliveryId: string; event?: string }>
  /**
   * A new secret signs all deliveries from the time of this event. The previous secret also signs until `previousUntil`, by the machine's
   * clock; `null` if it no longer signs.
   */
  | DomainEvent<
      'WebhookSecretRotated',
      { webhookId: string; secretId: string; previousUntil: Instant | null }
    >
  /** A user ended the previous secret. Its planned end may have passed already. */
  | DomainEvent<'WebhookPreviousSecretEnded', { webhookId: string }>
  | DomainEvent<'WebhookDeleted', { webhookId: string }>;

/** The versions of the domain events of webhook endpoints. */
export const webhookEventCatalog: EventCatalog<WebhookEvent> = {
  WebhookCreated: v1,
  WebhookChanged: v1,
  WebhookEnabled: v1,
  WebhookDisabled: v1,
  WebhookTestRequested: v1,
  WebhookSecretRotated: v1,
  WebhookPreviousSecretEnded: v1,
  WebhookDeleted: v1,
};
