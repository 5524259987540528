import { newUlid } from '#libs/kernel/system';
import type { Instant } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { User } from './entities/user.entity.js';

/** Creates the context of a command with which a user changes the user's own data, such as a session. The user is the actor. */
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
