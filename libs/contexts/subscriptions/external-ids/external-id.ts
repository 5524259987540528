import { Conflict } from '#libs/kernel/core';
import { defineDecider, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/**
 * The events of one external id in a workspace: who has it. The id itself is only in the name of the stream, as a hash. `claimId` tells the
 * requests of one subscription apart.
 */
export type ExternalIdEvent =
  | DomainEvent<'SubscriptionExternalIdTaken', ExternalIdClaim>
  | DomainEvent<'SubscriptionExternalIdReleased', ExternalIdClaim>;

export const externalIdEvents: EventCatalog<ExternalIdEvent> = {
  SubscriptionExternalIdTaken: { version: 1 },
  SubscriptionExternalIdReleased: { version: 1 },
};

/** The subscription that has an external id, and the request by which it took the id last. */
export interface ExternalIdClaim {
  readonly subscriptionId: string;
  readonly claimId: string;
}

/** The present claim of an external id. Null if it was given up. */
export interface ExternalIdState {
  readonly claim: ExternalIdClaim | null;
}

export type ExternalIdCommand =
  /** `instead` has ids of subscriptions that the same request tried to create before. Their claim goes over to `subscriptionId`. */
  | { type: 'TakeExternalId'; claim: ExternalIdClaim; instead: readonly string[] }
  /** Gives up a claim, unless the subscription has taken the external id again by another request. */
  | { type: 'ReleaseExternalId'; claim: ExternalIdClaim };

/** Decides which subscription has an external id. One stream for each id makes sure that two subscriptions never have the same. */
export const externalIdDecider = defineDecider<ExternalIdState, ExternalIdCommand, ExternalIdEvent>({
  category: 'subscriptionExternalId',
  events: externalIdEvents,
  decide(command, { claim: present } = { claim: null }) {
    const { claim } = command;
    const isPresent = present?.subscriptionId === claim.subscriptionId && present.claimId === claim.claimId;
    if (command.type === 'ReleaseExternalId')
      return isPresent ? [{ type: 'SubscriptionExternalIdReleased', data: claim }] : [];
    if (isPresent) return [];
    if (present && ![claim.subscriptionId, ...command.instead].includes(present.subscriptionId))
      throw externalIdInUse(present.subscriptionId);
    return [{ type: 'SubscriptionExternalIdTaken', data: claim }];
  },
  evolve(_, { type, data }) {
    return { claim: type === 'SubscriptionExternalIdTaken' ? data : null };
  },
});

/** The error for an external id that another subscription has. */
export function externalIdInUse(holder: string): Conflict {
  return new Conflict(
    'external_id_in_use',
    `The externalId belongs to subscription ${holder}; choose another`,
    [{ field: 'externalId', message: 'is taken' }],
  );
}
