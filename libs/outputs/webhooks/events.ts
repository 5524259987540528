import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The URL of an endpoint and its subscriptions: names of public events, or `*` for all. */
export interface WebhookDetails {
  url: string;
  events: string[];
}

/** Why a webhook is off. `requested`: a user turned it off. `failing`: no request has reached it for days. */
export type DisableReason = 'requested' | 'failing';

export type WebhookEvent =
  | DomainEvent<'WebhookCreated', { webhookId: string; at: Instant } & WebhookDetails>
  | DomainEvent<'WebhookChanged', { webhookId: string } & Partial<WebhookDetails>>
  | DomainEvent<'WebhookEnabled', { webhookId: string }>
  | DomainEvent<'WebhookDisabled', { webhookId: string; reason: DisableReason }>
  /**
   * A test was requested. The request chooses the id of the delivery, so that its sender can wait for the delivery. `event` is the public
   * event of which an example is sent. If it is absent, a `webhook.test` is sent.
   */
  | DomainEvent<'WebhookTestRequested', { webhookId: string; deliveryId: string; event?: string }>
  /**
   * Another secret signs from now on. The previous secret also signs until `previousUntil`, by the machine's clock; `null` if it no longer
   * signs.
   */
  | DomainEvent<
      'WebhookSecretRotated',
      { webhookId: string; secretId: string; previousUntil: Instant | null }
    >
  /** The previous secret was ended before its time. */
  | DomainEvent<'WebhookPreviousSecretEnded', { webhookId: string }>
  | DomainEvent<'WebhookDeleted', { webhookId: string }>;

export const webhookEvents: EventCatalog<WebhookEvent> = {
  WebhookCreated: v1,
  WebhookChanged: v1,
  WebhookEnabled: v1,
  WebhookDisabled: v1,
  WebhookTestRequested: v1,
  WebhookSecretRotated: v1,
  WebhookPreviousSecretEnded: v1,
  WebhookDeleted: v1,
};
