import { amendmentIdOf } from '#libs/contexts/billing';
import { deriveUuid } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';

/**
 * The context of the command that moves a subscription in a migration. It is named by the two, so that the amendment is the same
 * whether the subscription's renewal makes it or the migration's own batch. The two run at different times, so no time is in the ids.
 */
export function moveContext<Context extends Pick<CommandContext, 'workspaceId'>>(
  context: Context,
  migrationId: string,
  subscriptionId: string,
): Context & Pick<CommandContext, 'commandId' | 'idsAt'> {
  const commandId = deriveUuid('price migration', migrationId, subscriptionId);
  return { ...context, commandId, idsAt: undefined };
}

/** The id of the amendment that a migration makes to a subscription. */
export function moveIdOf(workspaceId: string, migrationId: string, subscriptionId: string): string {
  return amendmentIdOf(moveContext({ workspaceId }, migrationId, subscriptionId));
}
