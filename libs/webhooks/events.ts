import type { Instant } from '#libs/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/event-store';

/** Where an endpoint is and what it wants to hear: names of public events, or `*` for all of them. */
export interface WebhookDetails {
  url: string;
  events: string[];
}

/** `requested`: somebody turned it off. `failing`: nothing has reached it for days. */
export type DisableReason = 'requested' | 'failing';

export type WebhookEvent =
  | DomainEvent<'WebhookCreated', { webhookId: string; createdAt: Instant } & WebhookDetails>
  | DomainEvent<'WebhookChanged', { webhookId: string } & Partial<WebhookDetails>>
  | DomainEvent<'WebhookEnabled', { webhookId: string }>
  | DomainEvent<'WebhookDisabled', { webhookId: string; reason: DisableReason }>
  /** The delivery's id is chosen with the request, so that who asked can wait for it. */
  | DomainEvent<'WebhookTestRequested', { webhookId: string; deliveryId: string }>
  | DomainEvent<'WebhookDeleted', { webhookId: string }>;

export const webhookEvents: EventCatalog<WebhookEvent> = {
  WebhookCreated: v1,
  WebhookChanged: v1,
  WebhookEnabled: v1,
  WebhookDisabled: v1,
  WebhookTestRequested: v1,
  WebhookDeleted: v1,
};
