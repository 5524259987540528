import { Conflict } from '#libs/kernel/core';
import { defineDecider, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The events of one external id in a workspace: who has it. The id itself is only in the name of the stream, as a hash. */
export type ExternalIdEvent =
  | DomainEvent<'SubscriptionExternalIdTaken', { subscriptionId: string }>
  | DomainEvent<'SubscriptionExternalIdReleased', { subscriptionId: string }>;

export const externalIdEvents: EventCatalog<ExternalIdEvent> = {
  SubscriptionExternalIdTaken: { version: 1 },
  SubscriptionExternalIdReleased: { version: 1 },
};

/** Who has an external id. */
export interface ExternalIdHolder {
  /** The subscription that has it. Null if it was given up. */
  readonly subscriptionId: string | null;
}

export type ExternalIdCommand =
  /** `instead` has ids of subscriptions that the same request tried to create before. Their claim goes over to `subscriptionId`. */
  | { type: 'TakeExternalId'; subscriptionId: string; instead: readonly string[] }
  | { type: 'ReleaseExternalId'; subscriptionId: string };

/** Decides which subscription has an external id. One stream for each id makes sure that two subscriptions never have the same. */
export const externalIdDecider = defineDecider<ExternalIdHolder, ExternalIdCommand, ExternalIdEvent>({
  category: 'subscriptionExternalId',
  events: externalIdEvents,
  decide(command, { subscriptionId: holder } = { subscriptionId: null }) {
    const { subscriptionId } = command;
    if (command.type === 'ReleaseExternalId')
      return holder === subscriptionId
        ? [{ type: 'SubscriptionExternalIdReleased', data: { subscriptionId } }]
        : [];
    if (holder === subscriptionId) return [];
    if (holder !== null && !command.instead.includes(holder)) throw externalIdInUse(holder);
    return [{ type: 'SubscriptionExternalIdTaken', data: { subscriptionId } }];
  },
  evolve(_, { type, data: { subscriptionId } }) {
    return { subscriptionId: type === 'SubscriptionExternalIdTaken' ? subscriptionId : null };
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
