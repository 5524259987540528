import type { RecordedEvent } from '#libs/event-store';
import type { Instant } from '#libs/core';

/** Work that an event leads to: now, or when the clock has come to `dueAt`. */
export interface TaskRequest {
  /** What is to be done, in the process manager's own vocabulary. */
  readonly name: string;
  /** Tells this task from others that the same event leads to; part of the task's id. Default: the name. */
  readonly key?: string;
  readonly payload: object;
  /** When; at once if left out. */
  readonly dueAt?: Instant;
  /**
   * Whose time `dueAt` is: the workspace's (default), which a sandbox can move, or the machine's, for what has to
   * do with the world outside, such as the retries of a webhook.
   */
  readonly clock?: 'workspace' | 'system';
}

/** A task as it is performed. */
export interface Task<Payload extends object = object> {
  /** The same at every attempt: commands derive their ids from it. */
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  readonly payload: Payload;
  /** When it was to be done; the Unix epoch if at once. */
  readonly dueAt: Instant;
  /** From 1. */
  readonly attempt: number;
  /** The event that led to it. */
  readonly eventId: string;
  readonly correlationId: string;
}

/**
 * What reacts to events. `react` is pure and says what is to be done; the tasks are stored together with the
 * checkpoint, so no event is missed and none counts twice. `perform` does it, at least once: it must come to
 * the same when it runs again, which commands with ids derived from the task's do.
 */
export abstract class ProcessManager {
  /** Its name in the database. Never changed. */
  abstract readonly name: string;

  abstract react(event: RecordedEvent): TaskRequest[];

  /** Performs one task. To be called again later (with growing delays), throw. */
  abstract perform(task: Task): Promise<void>;
}
