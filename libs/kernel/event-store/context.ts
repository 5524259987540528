import { deriveId, deriveUlid, deriveUuid, type Instant } from '#libs/kernel/core';
import { newUlid } from '#libs/kernel/system';
import type { Actor } from '#libs/kernel/domain';

/** The context of a command: everything that it carries beside its own fields. Made once, where the command enters. */
export interface CommandContext {
  /** Names this one execution; event ids and new ids derive from it, so a repetition makes nothing new. */
  readonly commandId: string;
  readonly workspaceId: string;
  readonly actor: Actor;
  readonly correlationId: string;
  /** Id of the event or command that led to this one, if any. */
  readonly causationId: string | null;
  /** The workspace's time. */
  readonly now: Instant;
  /**
   * The instant in the ids that it makes, by the machine's clock: the same at every repetition. Absent where no repetition could know it,
   * as under an Idempotency-Key, and for tasks of versions that did not note it. Ids without this time are purely a hash.
   */
  readonly idsAt?: Instant | undefined;
  /** True if a command with this id may have run before, as with a retried request or a saga task. Costs one read. */
  readonly mayRepeat: boolean;
}

/** A context for a command that follows from `context` (another aggregate's part of the same work). */
export function follow(context: CommandContext, name: string): CommandContext {
  return { ...context, commandId: deriveUuid(context.commandId, name), causationId: context.commandId };
}

/** The context of work that the system does on its own, such as a saga's task. */
export function systemContext(options: {
  workspaceId: string;
  now: Instant;
  process: string;
  commandId: string;
  correlationId?: string;
  causationId?: string | null;
  idsAt?: Instant | undefined;
  /** By default it may. */
  mayRepeat?: boolean;
}): CommandContext {
  return {
    commandId: options.commandId,
    workspaceId: options.workspaceId,
    actor: { type: 'system', id: options.process },
    correlationId: options.correlationId ?? newUlid(),
    causationId: options.causationId ?? null,
    now: options.now,
    idsAt: options.idsAt,
    mayRepeat: options.mayRepeat ?? true,
  };
}

/** The id of the thing that this command creates: the same each time that the command runs. */
export function idFor(
  { workspaceId, commandId, idsAt }: Pick<CommandContext, 'workspaceId' | 'commandId' | 'idsAt'>,
  prefix: Parameters<typeof deriveId>[0],
  ...more: string[]
): string {
  const parts = [workspaceId, commandId, ...more];
  return idsAt === undefined ? deriveId(prefix, ...parts) : deriveUlid(prefix, idsAt, ...parts);
}
