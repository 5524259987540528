import type { Instant } from '#libs/kernel/core';
import type { Access } from '#libs/manifest';
import type { QuantityLimits } from './portal-session.js';

/** A user or a program that sends a request to a workspace, after its credential was checked. */
export interface Principal extends Access {
  kind: 'user' | 'api_key';
  /** The id of the user or of the API key. */
  id: string;
  /** The workspace of the credential. All data of the request belongs to this workspace. */
  workspaceId: string;
  /**
   * The instant from which an API key is refused, by the machine's clock. Null or absent if the credential never expires, or is not an API
   * key.
   */
  expiresAt?: Instant | null;
  /** The session of an access token. API keys have none. */
  sessionId?: string;
}

/**
 * The limits of an API key or of the caller who creates it: the permissions and the expiry. A caller cannot create a key with wider limits
 * than its own.
 */
export type AccessLimits = Pick<Principal, 'role' | 'permissions' | 'expiresAt'>;

/** A customer who sends a request with the token of a portal session, after the token was checked. */
export interface PortalPrincipal {
  kind: 'portal';
  /** The id of the portal session. */
  id: string;
  /** The workspace of the customer. */
  workspaceId: string;
  /** The only customer whose data the request can see and change. */
  customerId: string;
  /** True if the customer can change the plan of its subscriptions in the portal. */
  allowPlanChanges: boolean;
  /** The limits of the units that the customer can choose for the fees of a new plan. Null if it cannot choose units. */
  quantityLimits: QuantityLimits | null;
  /** True if the customer can buy prepaid credits in the portal. */
  allowCreditPurchases: boolean;
  expiresAt: Instant;
}

/** The sender of a request, after its credential was checked. */
export type Caller = Principal | PortalPrincipal;
