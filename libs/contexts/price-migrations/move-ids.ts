import { amendmentIdOf } from '#libs/contexts/billing';
import { deriveUuid } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';

/**
 * Returns the context of the command that moves a subscription in a migration. The command's id is derived from the ids of the migration
 * and the subscription. The amendment therefore has the same id, whether the subscription's renewal or the migration's batch makes it. The
 * renewal and the batch run at different times, so the ids contain no time.
 */
export function subscriptionMoveContext<Context extends Pick<CommandContext, 'workspaceId'>>(
  context: Context,
  migrationId: string,
  subscriptionId: string,
): Context & Pick<CommandContext, 'commandId' | 'idTime'> {
  const commandId = deriveUuid('price migration', migrationId, subscriptionId);
  return { ...context, commandId, idTime: undefined };
}

/** Returns the id of the amendment that a migration makes to a subscription. */
export function amendmentIdOfMove(workspaceId: string, migrationId: string, subscriptionId: string): string {
  return amendmentIdOf(subscriptionMoveContext({ workspaceId }, migrationId, subscriptionId));
}
