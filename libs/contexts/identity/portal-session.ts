import type { Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { portalSessionEvents, type PortalSessionEvent } from './events.js';

/** The least and the greatest number of units that a customer may choose for a fee. Both are whole numbers. */
export interface QuantityLimits {
  readonly minimum: number;
  readonly maximum: number;
}

/** The terms of a portal session: its customer, what the customer can do in addition to reading, and its expiry. */
export interface PortalSessionTerms {
  readonly customerId: string;
  /** True if the customer can change the plan of its subscriptions in the portal. */
  readonly allowPlanChanges: boolean;
  /**
   * The limits of the units that the customer may choose for the fees of a new plan. Absent if the customer cannot choose units, and in
   * sessions that are older than this field.
   */
  readonly quantityLimits?: QuantityLimits;
  /** True if the customer can buy prepaid credits in the portal. */
  readonly allowCreditPurchases: boolean;
  readonly expiresAt: Instant;
}

/** The recorded data of a portal session. The token of a portal session is not recorded in events, because it is a credential. */
export interface PortalSessionRecord extends PortalSessionTerms {
  readonly portalSessionId: string;
  readonly createdAt: Instant;
  readonly revoked: boolean;
}

/** The commands on a portal session. `at` is the time of the creation. Both `at` and `expiresAt` are real times, by the machine's clock. */
export type PortalSessionCommand =
  | ({ type: 'CreatePortalSession'; portalSessionId: string; at: Instant } & PortalSessionTerms)
  | { type: 'RevokePortalSession'; portalSessionId: string };

/** The minimum, the maximum and the default number of seconds for which a portal session lasts. */
export const PORTAL_SESSION_SECONDS = { min: 1, max: 86_400, default: 3_600 } as const;

export const portalSessionDecider = defineDecider<
  PortalSessionRecord,
  PortalSessionCommand,
  PortalSessionEvent
>({
  category: 'portalSession',
  events: portalSessionEvents,
  decide(command, session) {
    switch (command.type) {
      case 'CreatePortalSession': {
        const { type: _, ...details } = command;
        return session ? [] : [{ type: 'PortalSessionCreated', data: details }];
      }
      case 'RevokePortalSession': {
        if (!session || session.revoked) return [];
        const { portalSessionId, customerId } = session;
        return [{ type: 'PortalSessionRevoked', data: { portalSessionId, customerId } }];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'PortalSessionCreated': {
        const { at: createdAt, ...details } = event.data;
        return { ...details, createdAt, revoked: false };
      }
      case 'PortalSessionRevoked':
        return { ...requireCreated(state, event), revoked: true };
    }
  },
});
