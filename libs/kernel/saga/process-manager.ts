import type { Instant } from '#libs/kernel/core';
import type { DomainEvent, Recorded, RecordedEvent } from '#libs/kernel/domain';
import { systemContext, type CommandContext } from '#libs/kernel/event-store';

/** Work that an event leads to: now, or when the clock has come to `dueAt`. `Tasks` has the payload of each task by its name. */
export type TaskRequest<Tasks extends object = Record<string, object>> = {
  [Name in keyof Tasks & string]: {
    readonly name: Name;
    readonly payload: Tasks[Name] & object;
  } & TaskOptions;
}[keyof Tasks & string];

/** When a task is performed, and what tells it from others. */
interface TaskOptions {
  /** Tells this task from others that the same event leads to; part of the task's id. Default: the name. */
  readonly key?: string;
  /** The subject of the task, when several events can request it. Only one task is stored for a subject. Default: the event. */
  readonly subject?: string;
  /** When; at once if left out. */
  readonly dueAt?: Instant;
  /**
   * The clock of `dueAt`: the workspace's (default), which a sandbox can move, or the machine's. The machine's is for work with other
   * systems, such as sending a webhook.
   */
  readonly clock?: 'workspace' | 'system';
  /**
   * A few tasks of a workspace's queue are performed at a time. So a backlog of one slow receiver does not hold up the others. Tasks
   * without a queue are held back by the workspace's share of the slots alone.
   */
  readonly queue?: string;
}

/** A task as its handler receives it. */
export interface Task<Payload extends object = object> {
  /** The same at every attempt: commands derive their ids from it. */
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly payload: Payload;
  /** When it was to be done; the Unix epoch if at once. */
  readonly dueAt: Instant;
  /** 1 if it was never performed before. Counted anew, from 2, after it asked to be performed again. */
  readonly attempt: number;
  /** The event that led to it. */
  readonly eventId: string;
  /** When the store took that; null if no event led to it, and for tasks of versions that did not note it. */
  readonly eventAt: Instant | null;
  readonly correlationId: string;
}

/** The result of a task: what follows beside its effect. */
export interface TaskResult {
  /**
   * The task is to be performed again, at this instant of the workspace's clock: a retry that was planned. Whoever moves a sandbox's
   * clock does not wait for it.
   */
  readonly again?: Instant;
  /** Further tasks of the same process manager. Stored together with the end of this one, each once. */
  readonly tasks?: readonly TaskRequest[];
}

/** The tasks that follow from each event. An event that is not named leads to nothing. */
export type Reactions<Event extends DomainEvent, Tasks extends object> = {
  readonly [Type in Event['type']]?: (
    event: Recorded<Extract<Event, DomainEvent<Type>>>,
  ) => readonly TaskRequest<Tasks>[];
};

/** The handler of each task. `context` is the context of the command that the task leads to. */
export type TaskHandlers<Tasks extends object> = {
  readonly [Name in keyof Tasks & string]: TaskHandler<Tasks[Name] & object>['perform'];
};

interface TaskHandler<Payload extends object> {
  /** A method, since a list of process managers knows their payloads no more. */
  perform(payload: Payload, context: CommandContext, task: Task<Payload>): Promise<TaskResult | void>;
}

/** The clock that gives a task's command its time. */
interface Clock {
  now(workspaceId: string): Promise<Instant>;
}

/**
 * Reacts to events with tasks, and performs them. `Tasks` has the payload of each of its tasks by name. The tasks are stored together
 * with the checkpoint, so no event is missed and none counts twice.
 */
export abstract class ProcessManager<Tasks extends object = Record<string, object>> {
  /** Its name in the database. Never changed. */
  abstract readonly name: string;

  /**
   * How many of its tasks one process performs at a time, in separate slots. For work that waits for the world outside; by default a
   * process manager shares the slots of the others. A workspace takes a slot while it has fewer than are free, so that there is always one
   * for another.
   */
  readonly slots?: number;

  /**
   * The handler of each task. A task is performed at least once, so a repetition must have the same result. Commands with the context's id
   * do.
   */
  protected abstract readonly tasks: TaskHandlers<Tasks>;

  /** @param clock gives the time of the task's workspace to the task's commands */
  constructor(private readonly clock: Clock) {}

  /** Returns the tasks that follow from an event. Pure; {@link reactTo} makes it. */
  abstract react(event: RecordedEvent): readonly TaskRequest<Tasks>[];

  /**
   * Returns those of the workspaces that it has work for. It is asked after their events were appended. Reactions to events of other
   * workspaces are not stored. By default all.
   */
  concerned?(workspaceIds: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Performs one task. An error counts as a failed attempt. The task is then performed again, after growing delays. So is a task without a
   * handler.
   */
  async perform(task: Task): Promise<TaskResult | void> {
    if (!Object.hasOwn(this.tasks, task.name))
      throw new Error(`The process manager "${this.name}" has no task "${task.name}"`);
    const perform = this.tasks[task.name as keyof Tasks & string];
    const context = await contextOfTask(this.name, this.clock, task);
    return perform(task.payload as Tasks[keyof Tasks & string] & object, context, task as never);
  }
}

/** A `react` that looks the event's type up. */
export function reactTo<Event extends DomainEvent, Tasks extends object>(
  reactions: Reactions<Event, Tasks>,
): (event: RecordedEvent) => readonly TaskRequest<Tasks>[] {
  const byType = new Map(Object.entries(reactions)) as Map<
    string,
    (event: RecordedEvent) => readonly TaskRequest<Tasks>[]
  >;
  return (event) => byType.get(event.type)?.(event) ?? [];
}

/**
 * The context of the command that a task leads to, at the workspace's time by `clock`. The command's id is the task's id, so a repeated
 * task repeats the command. At the first attempt it cannot have run before, so nothing is read to find out.
 */
export async function contextOfTask(
  process: string,
  clock: Clock,
  { id, workspaceId, correlationId, eventId, eventAt, attempt }: Task,
): Promise<CommandContext> {
  const now = await clock.now(workspaceId);
  return systemContext({
    ...{ workspaceId, now, process, correlationId },
    ...{ commandId: id, causationId: eventId, mayRepeat: attempt > 1, idsAt: eventAt ?? undefined },
  });
}
