import { newUlid } from '#libs/kernel/system';
import type { Instant } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { User } from './entities/user.entity.js';

/** Returns the context of a command by which users change what is their own. */
export function commandContextOfUser(
  { id, workspaceId }: Pick<User, 'id' | 'workspaceId'>,
  correlationId: string,
  now: Instant,
): CommandContext {
  return {
    commandId: newUlid(),
    workspaceId,
    actor: { type: 'user', id },
    correlationId,
    causationId: null,
    now,
    mayRepeat: false,
  };
}
