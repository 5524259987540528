import { deriveId, deriveUlid, deriveUuid, type Instant } from '#libs/kernel/core';
import { newUlid } from '#libs/kernel/system';
import type { Actor } from '#libs/kernel/domain';

/** The data of a command in addition to its own fields. A command context is created once, when the command enters the system. */
export interface CommandContext {
  /**
   * Identifies the command. A repetition of the command has the same id. Event ids and new ids derive from the command id, so a repetition
   * creates nothing new.
   */
  readonly commandId: string;
  readonly workspaceId: string;
  readonly actor: Actor;
  /** The id that all commands and events with the same first cause share. */
  readonly correlationId: string;
  /** The id of the event or command that caused this command, if there is one. */
  readonly causationId: string | null;
  /** The workspace's time. */
  readonly now: Instant;
  /**
   * The time in the ids that the command makes, by the machine's clock. This time must be the same at every repetition of the command.
   * `idTime` is absent if a repetition cannot know the time, as with an Idempotency-Key. `idTime` is also absent for a task that an earlier
   * version stored without it. Without `idTime`, a new id is only a hash.
   */
  readonly idTime?: Instant | undefined;
  /**
   * True if a command with this id may have run before, as with a retried request or a saga task. If true, the stream is read before the
   * command is decided.
   */
  readonly mayRepeat: boolean;
}

/** Makes the context of a command that follows from the command of `context`, such as a command on another aggregate. */
export function followUpContext(context: CommandContext, name: string): CommandContext {
  return { ...context, commandId: deriveUuid(context.commandId, name), causationId: context.commandId };
}

/** Makes the context of work that the system does by itself, such as a task of the saga. */
export function systemContext(options: {
  workspaceId: string;
  now: Instant;
  process: string;
  commandId: string;
  correlationId?: string;
  causationId?: string | null;
  idTime?: Instant | undefined;
  /** Default: true. */
  mayRepeat?: boolean;
}): CommandContext {
  return {
    commandId: options.commandId,
    workspaceId: options.workspaceId,
    actor: { type: 'system', id: options.process },
    correlationId: options.correlationId ?? newUlid(),
    causationId: options.causationId ?? null,
    now: options.now,
    idTime: options.idTime,
    mayRepeat: options.mayRepeat ?? true,
  };
}

/** The id of the resource that this command creates. A repeated command gives the same id again. */
export function idFor(
  { workspaceId, commandId, idTime }: Pick<CommandContext, 'workspaceId' | 'commandId' | 'idTime'>,
  prefix: Parameters<typeof deriveId>[0],
  ...more: string[]
): string {
  const parts = [workspaceId, commandId, ...more];
  return idTime === undefined ? deriveId(prefix, ...parts) : deriveUlid(prefix, idTime, ...parts);
}
