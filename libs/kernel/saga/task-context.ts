import type { Instant } from '#libs/kernel/core';
import { systemContext, type CommandContext } from '#libs/kernel/event-store';
import type { Task } from './process-manager.js';

/**
 * The context of the command that a task leads to, at the workspace's time by `clock`: the command's id is the task's, so performing it
 * again repeats the command. At the first attempt it cannot have run before, so nothing is read to find out.
 */
export async function contextOfTask(
  process: string,
  clock: { now(workspaceId: string): Promise<Instant> },
  { id, workspaceId, correlationId, eventId, eventAt, attempt }: Task,
): Promise<CommandContext> {
  const now = await clock.now(workspaceId);
  return systemContext({
    ...{ workspaceId, now, process, correlationId },
    ...{ commandId: id, causationId: eventId, mayRepeat: attempt > 1, idsAt: eventAt ?? undefined },
  });
}
