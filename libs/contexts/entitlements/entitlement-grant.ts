import { InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, erasedValue, requireCreated } from '#libs/kernel/domain';
import {
  entitlementGrantEvents,
  type EntitlementGrantDetails,
  type EntitlementGrantEvent,
} from './events.js';

/** The state of a grant, from its events. */
export interface EntitlementGrant extends EntitlementGrantDetails {
  grantId: string;
  createdAt: Instant;
  removed: boolean;
}

/** The commands on a grant. `at` is the workspace's time at which the grant is made or removed. */
export type EntitlementGrantCommand =
  | { type: 'GrantEntitlement'; at: Instant; grantId: string; details: EntitlementGrantDetails }
  | { type: 'RemoveEntitlementGrant'; at: Instant; grantId: string };

type Of<Type extends EntitlementGrantCommand['type']> = Extract<EntitlementGrantCommand, { type: Type }>;

export const entitlementGrantDecider = defineDecider<
  EntitlementGrant,
  EntitlementGrantCommand,
  EntitlementGrantEvent
>({
  category: 'entitlementGrant',
  events: entitlementGrantEvents,
  decide(command, grant) {
    switch (command.type) {
      case 'GrantEntitlement':
        return grantEntitlement(command, grant);
      case 'RemoveEntitlementGrant':
        return removeGrant(command, grant);
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'EntitlementGranted': {
        const { at: createdAt, ...details } = event.data;
        return { ...details, createdAt, removed: false };
      }
      case 'EntitlementGrantRemoved':
        return { ...requireCreated(state, event), removed: true };
    }
  },
  withoutPersonalData: (grant) => ({ ...grant, reason: erasedValue(grant.reason) }),
});

function grantEntitlement(
  { at, grantId, details }: Of<'GrantEntitlement'>,
  grant: EntitlementGrant | undefined,
): EntitlementGrantEvent[] {
  if (grant) return [];
  const { expiresAt } = details;
  if (expiresAt !== null && expiresAt <= at)
    throw InvalidRequest.field('expiresAt', `must be after ${at}, the time of the workspace`);
  return [{ type: 'EntitlementGranted', data: { grantId, at, ...details } }];
}

function removeGrant(
  { at, grantId }: Of<'RemoveEntitlementGrant'>,
  grant: EntitlementGrant | undefined,
): EntitlementGrantEvent[] {
  if (!grant || grant.removed) throw NotFound.of('entitlement grant', grantId);
  return [{ type: 'EntitlementGrantRemoved', data: { grantId, customerId: grant.customerId, at } }];
}
