import type { RecordedEvent } from '#libs/kernel/domain';
import type { Instant } from '#libs/kernel/core';

/** Work that an event leads to: now, or when the clock has come to `dueAt`. */
export interface TaskRequest {
  /** What is to be done, in the process manager's own vocabulary. */
  readonly name: string;
  /** Tells this task from others that the same event leads to; part of the task's id. Default: the name. */
  readonly key?: string;
  /** What the task is for, where several events can ask for it: one is stored, however many do. Default: the event. */
  readonly subject?: string;
  readonly payload: object;
  /** When; at once if left out. */
  readonly dueAt?: Instant;
  /**
   * Whose time `dueAt` is: the workspace's (default), which a sandbox can move, or the machine's, for what has to
   * do with the world outside, such as sending a webhook.
   */
  readonly clock?: 'workspace' | 'system';
  /**
   * A workspace's tasks of one queue are performed a few at a time: a backlog towards one slow receiver
   * does not hold up what is for the others. Tasks without a queue are held back by the workspace's share of the slots alone.
   */
  readonly queue?: string;
}

/** A task as it is performed. */
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

/** What a task leads to beside what it did. */
export interface TaskResult {
  /**
   * The task is to be performed again, at this instant of the workspace's clock: a retry that was planned. Whoever moves a sandbox's
   * clock does not wait for it.
   */
  readonly again?: Instant;
  /** Further tasks of the same process manager. Stored together with the end of this one, each once. */
  readonly tasks?: readonly TaskRequest[];
}

/**
 * What reacts to events. `react` is pure and says what is to be done; the tasks are stored together with the
 * checkpoint, so no event is missed and none counts twice. `perform` does it, at least once: it must come to
 * the same when it runs again, which commands with ids derived from the task's do.
 */
export abstract class ProcessManager {
  /** Its name in the database. Never changed. */
  abstract readonly name: string;

  /**
   * How many of its tasks one process performs at a time, in slots of their own. For work that waits for the world
   * outside; by default a process manager shares the slots of the others. A workspace takes a slot while it has fewer than are
   * free, so that there is always one for another.
   */
  readonly slots?: number;

  abstract react(event: RecordedEvent): TaskRequest[];

  /**
   * Which of these workspaces it has anything to do for, asked after their events were appended: what events of others lead to
   * is not stored. By default all.
   */
  concerned?(workspaceIds: readonly string[]): Promise<ReadonlySet<string>>;

  /** Performs one task. What throws is an attempt that failed, and is called again after growing delays. */
  abstract perform(task: Task): Promise<TaskResult | void>;
}
