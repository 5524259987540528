import { laterOf, type Instant } from '#libs/kernel/core';
import type { DomainEvent, Recorded, RecordedEvent } from '#libs/kernel/domain';
import { systemContext, type CommandContext } from '#libs/kernel/event-store';

/** Work that follows from an event, now or when the clock reaches `dueAt`. `Tasks` maps the name of each task to its payload. */
export type TaskRequest<Tasks extends object = Record<string, object>> = {
  [Name in keyof Tasks & string]: {
    readonly name: Name;
    readonly payload: Tasks[Name] & object;
  } & TaskOptions;
}[keyof Tasks & string];

/** The time at which a task is performed, and the properties that distinguish it from other tasks. */
interface TaskOptions {
  /** A text that distinguishes the tasks of one event from each other. The key is part of the task's id. Default: the name. */
  readonly key?: string;
  /**
   * Says what the task is about, if several events can request the task. Only one task is stored for each subject, name and key. Default:
   * the event.
   */
  readonly subject?: string;
  /** The time at which the task becomes due. If absent, the task is due at once. */
  readonly dueAt?: Instant;
  /**
   * The clock of `dueAt`: the workspace's clock (default), which can be moved in a sandbox, or the machine's clock. The machine's clock is
   * for work with other systems, such as sending a webhook.
   */
  readonly clock?: 'workspace' | 'system';
  /**
   * The queue of the task. Only a few tasks of a workspace's queue are performed at a time. With a queue for each webhook, for example, a
   * slow receiver delays no other receiver. Tasks without a queue are limited only by the workspace's share of the slots.
   */
  readonly queue?: string;
}

/** A task in the form in which its handler receives it. */
export interface Task<Payload extends object = object> {
  /** The id of the task. The task's id is the same in every attempt, and commands derive their ids from it. */
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly payload: Payload;
  /** The time at which the task was due; the Unix epoch if the task was due at once. */
  readonly dueAt: Instant;
  /** The clock of `dueAt`. */
  readonly clock: 'workspace' | 'system';
  /** The number of the attempt, from 1. After a run in which the task asked to be performed again, the count continues with 2. */
  readonly attempt: number;
  /** The id of the event that caused the task. If no event caused the task, this is another text that names the cause. */
  readonly eventId: string;
  /**
   * The time at which the event store recorded the event that caused the task. `eventAt` is null if no event caused the task, and for tasks
   * of earlier versions, which did not store it.
   */
  readonly eventAt: Instant | null;
  readonly correlationId: string;
}

/** What the handler of a task returns: either that the task must be performed again, or the tasks that follow from it. */
export type TaskResult = PerformAgain | FollowingTasks;

interface PerformAgain {
  /**
   * The time, by the workspace's clock, at which this task must be performed again, for example to deliver a webhook once more. An advance
   * of a sandbox's clock does not wait for a task that must be performed again.
   */
  readonly performAgainAt: Instant;
  readonly tasks?: never;
}

interface FollowingTasks {
  readonly performAgainAt?: never;
  /**
   * Further tasks that follow from this task, for the same process manager. The further tasks are stored in the transaction that stores the
   * end of this task, each once.
   */
  readonly tasks?: readonly TaskRequest[];
}

/** The tasks that follow from each event. An event without an entry causes no task. */
export type Reactions<Event extends DomainEvent, Tasks extends object> = {
  readonly [Type in Event['type']]?: (
    event: Recorded<Extract<Event, DomainEvent<Type>>>,
  ) => readonly TaskRequest<Tasks>[];
};

/**
 * The handler of each task. A handler gets the payload, and the command context (workspace, time and actor) for the commands that it sends.
 */
export type TaskHandlers<Tasks extends object> = {
  readonly [Name in keyof Tasks & string]: TaskHandler<Tasks[Name] & object>['perform'];
};

interface TaskHandler<Payload extends object> {
  /** `perform` is declared as a method, because TypeScript then allows one list of process managers with different payload types. */
  perform(payload: Payload, context: CommandContext, task: Task<Payload>): Promise<TaskResult | void>;
}

/** The clock that gives the time of a task's command. */
interface Clock {
  now(workspaceId: string): Promise<Instant>;
}

/**
 * Requests tasks in reaction to events, and performs the tasks. `Tasks` maps the name of each task to its payload. The tasks of an event
 * are stored in one transaction with the log position that the process manager has reached. So no event is missed and no event is handled
 * twice.
 */
export abstract class ProcessManager<Tasks extends object = Record<string, object>> {
  /** The name in the database. It never changes. */
  abstract readonly name: string;

  /**
   * The number of tasks of this process manager that one process performs at a time, in separate slots. Separate slots are for work that
   * waits for other systems. By default, process managers share slots. A workspace gets a slot only while it has fewer slots than are free,
   * so that other workspaces also get slots.
   */
  readonly slots?: number;

  /**
   * The handler of each task. A task is performed at least once, so a repetition must have the same result. A command with the command id
   * of the handler's context has no further effect when it is repeated.
   */
  protected abstract readonly tasks: TaskHandlers<Tasks>;

  /** @param clock gives the time of the task's workspace for the task's commands */
  constructor(private readonly clock: Clock) {}

  /** Returns the tasks that follow from an event. The method must be pure; {@link reactByEventType} makes such a method. */
  abstract react(event: RecordedEvent): readonly TaskRequest<Tasks>[];

  /**
   * Returns those of `workspaceIds` for which the process manager has work. `workspacesWithWork` is called after events of `workspaceIds`
   * were appended. Reactions to events of other workspaces are not stored. Default: all.
   */
  workspacesWithWork?(workspaceIds: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Performs one task. An error, or a missing handler, is treated as a failed attempt. A failed task is performed again, after growing
   * delays.
   */
  async perform(task: Task): Promise<TaskResult | void> {
    if (!Object.hasOwn(this.tasks, task.name))
      throw new Error(`The process manager "${this.name}" has no task "${task.name}"`);
    const perform = this.tasks[task.name as keyof Tasks & string];
    const context = await commandContextOfTask(this.name, this.clock, task);
    return perform(task.payload as Tasks[keyof Tasks & string] & object, context, task as never);
  }
}

/** Makes a `react` that finds the reaction by the event's type. */
export function reactByEventType<Event extends DomainEvent, Tasks extends object>(
  reactions: Reactions<Event, Tasks>,
): (event: RecordedEvent) => readonly TaskRequest<Tasks>[] {
  const byType = new Map(Object.entries(reactions)) as Map<
    string,
    (event: RecordedEvent) => readonly TaskRequest<Tasks>[]
  >;
  return (event) => byType.get(event.type)?.(event) ?? [];
}

/**
 * The context of the command that a task executes, with the workspace's time by `clock`. The time is at least the due time of the task. The
 * database decides when a task is due, and its clock can be ahead of the clock of this machine. With an earlier time, the command would
 * find nothing due, and the task would have no effect. The command's id is the task's id, so a repeated task repeats the command. In the
 * first attempt the command cannot have run before, so the store need not look for an earlier run.
 */
export async function commandContextOfTask(
  process: string,
  clock: Clock,
  { id, workspaceId, correlationId, eventId, eventAt, attempt, dueAt, clock: dueBy }: Task,
): Promise<CommandContext> {
  const present = await clock.now(workspaceId);
  const now = dueBy === 'workspace' ? laterOf(present, dueAt) : present;
  return systemContext({
    workspaceId,
    now,
    process,
    correlationId,
    commandId: id,
    causationId: eventId,
    mayRepeat: attempt > 1,
    idTime: eventAt ?? undefined,
  });
}
