import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** Where an endpoint is and what it wants to hear: names of public events, or `*` for all of them. */
export interface WebhookDetails {
  url: string;
  events: string[];
}

/** `requested`: somebody turned it off. `failing`: nothing has reached it for days. */
export type DisableReason = 'requested' | 'failing';

export type WebhookEvent =
  | DomainEvent<'WebhookCreated', { webhookId: string; at: Instant } & WebhookDetails>
  | DomainEvent<'WebhookChanged', { webhookId: string } & Partial<WebhookDetails>>
  | DomainEvent<'WebhookEnabled', { webhookId: string }>
  | DomainEvent<'WebhookDisabled', { webhookId: string; reason: DisableReason }>
  /**
   * The delivery's id is chosen with the request, so that who asked can wait for it. `event`: of which public event an example is
   * sent; absent: a `webhook.test`.
   */
  | DomainEvent<'WebhookTestRequested', { webhookId: string; deliveryId: string; event?: string }>
  /**
   * Which secret signs from now on. `previousUntil`: the one before signs too until then, by the machine's clock; `null` if it no
   * longer does.
   */
  | DomainEvent<
      'WebhookSecretRotated',
      { webhookId: string; secretId: string; previousUntil: Instant | null }
    >
  /** The secret before was ended ahead of its time. */
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
