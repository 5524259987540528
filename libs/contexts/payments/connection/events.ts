import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** A connection to a payment processor, without its secrets. */
export interface ConnectedGateway {
  provider: 'stripe';
  /** The id of the account at the processor. */
  accountId: string;
  /** `test` if charges with the secret key move no real money. */
  mode: 'test' | 'live';
  /** The last four characters of the secret key. */
  secretKeyLast4: string;
  /** True if the secret that signs the processor's webhooks is known. */
  receivesEvents: boolean;
  /** The hosts to which customers may return from the page for a card. Absent in events that are older than this field. */
  returnHosts?: readonly string[];
}

export type PaymentGatewayEvent =
  /** Recorded when the connection was made or its keys were replaced. */
  | DomainEvent<'PaymentGatewayConnected', { workspaceId: string; at: Instant } & ConnectedGateway>
  | DomainEvent<'PaymentGatewayDisconnected', { workspaceId: string; provider: 'stripe'; at: Instant }>;

export const paymentGatewayEvents: EventCatalog<PaymentGatewayEvent> = {
  PaymentGatewayConnected: v1,
  PaymentGatewayDisconnected: v1,
};
