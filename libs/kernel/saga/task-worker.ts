import { setTimeout as delay } from 'node:timers/promises';
import { AppError, Unavailable } from '#libs/kernel/core';
import { UnreadableEvent, type EventFeed } from '#libs/kernel/event-store';
import { backoffMillis, CoalescedRead, sleep, WakeUp, type Logger } from '#libs/kernel/system';
import { performedTasks } from './metrics.js';
import { runInSpan, type SpanDescription } from '#libs/kernel/telemetry';
import type { ProcessManager } from './process-manager.js';
import { DUE_AT_ONCE, type StoredTask } from './stored-tasks.js';
import type { TaskFailure, TaskStore } from './task-store.js';

/**
 * A task is given up after this number of attempts, which take more than two days. A task that fails with an Unavailable error, or at an
 * event that cannot be read, is never given up. An operator can remove the cause of such an error, for example by entering a new key for
 * the payment processor, or by ending a quarantine.
 */
const MAX_ATTEMPTS = 600;
const RETRY = { firstMillis: 500, maxMillis: 5 * 60_000 };
/** A worker wakes up at least this often, in case a notification was lost. */
const MAX_IDLE_MILLIS = 5_000;
/**
 * The time that a worker waits after a finished task before it looks for further tasks, in milliseconds. For all tasks that finish during
 * this wait, the worker looks for new tasks only once.
 */
const LINGER_MILLIS = 3;
/** The pause after a failed access to the database. */
const RETRY_MILLIS = 1_000;
/** The time between two notifications that a task is still running, for tasks that take longer than this. */
const SIGN_OF_LIFE_MILLIS = 2_000;

/** Performs the due tasks of some process managers, many at a time. Workers of several processes share the work. */
export class TaskWorker {
  private readonly managers: Map<string, ProcessManager>;
  private readonly processes: string[];
  private readonly running = new Map<StoredTask, Promise<void>>();
  private readonly wakeUp = new WakeUp();
  private lookedForAbandonedAt = -Infinity;
  /** The position of the reactor. Tasks that start at nearly the same time share one read of it. */
  private readonly reactorPosition = new CoalescedRead(() => this.store.readReactorPosition());

  constructor(
    managers: readonly ProcessManager[],
    private readonly store: TaskStore,
    private readonly number: number,
    private readonly concurrency: number,
    private readonly log: Pick<EventFeed, 'waitUntilReadable'>,
    private readonly logger: Logger,
  ) {
    this.managers = new Map(managers.map((manager) => [manager.name, manager]));
    this.processes = [...this.managers.keys()];
  }

  /** Looks for work if one of this worker's process managers is in the payload of a notification, or if the payload is empty. */
  onNotification(payload: string): void {
    if (payload === '' || payload.split(' ').some((process) => this.managers.has(process)))
      this.lookForWork();
  }

  /** Looks for work at once, instead of sleeping until the next task is due. */
  lookForWork(): void {
    this.wakeUp.wake();
  }

  /** Runs until `signal` is aborted, and then finishes the running tasks. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.lookForWork(), { once: true });
    const signs = setInterval(() => void this.giveSignOfLife(), SIGN_OF_LIFE_MILLIS);
    try {
      await this.work(signal);
      await Promise.all(this.running.values());
    } finally {
      clearInterval(signs);
    }
  }

  private async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.wakeUp.clear();
      let idleMillis: number;
      try {
        await this.releaseAbandoned();
        const free = this.concurrency - this.running.size;
        const tasks = free > 0 ? await this.store.takeDueTasks(this.number, free, this.processes) : [];
        for (const task of tasks) this.start(task, signal);
        if (tasks.length === free) idleMillis = this.running.size > 0 ? MAX_IDLE_MILLIS : 0;
        else
          idleMillis = Math.min(
            MAX_IDLE_MILLIS,
            (await this.store.millisUntilNextWork(this.processes)) ?? MAX_IDLE_MILLIS,
          );
      } catch (error) {
        this.logger.warn({ error: (error as Error).message }, 'looking for tasks failed, trying again');
        idleMillis = RETRY_MILLIS;
      }
      await this.wakeUp.sleep(idleMillis);
      // One search for new tasks follows all tasks that finish at nearly the same time.
      if (idleMillis > 0 && this.running.size > 0) await delay(LINGER_MILLIS);
    }
  }

  /** Sends a sign of life. A notification that fails does not matter, since the next one is enough for waiting callers. */
  private async giveSignOfLife(): Promise<void> {
    const workspaceIds = [...new Set([...this.running.keys()].map(({ workspaceId }) => workspaceId))];
    if (workspaceIds.length > 0) await this.store.notifyThatTasksRun(workspaceIds).catch(() => undefined);
  }

  private async releaseAbandoned(): Promise<void> {
    if (performance.now() - this.lookedForAbandonedAt < MAX_IDLE_MILLIS) return;
    await this.store.releaseAbandonedTasks();
    this.lookedForAbandonedAt = performance.now();
  }

  private start(task: StoredTask, signal: AbortSignal): void {
    const work = runInSpan(
      () => spanOf(task),
      () => this.perform(task, signal),
    ).finally(() => {
      this.running.delete(task);
      this.lookForWork();
    });
    this.running.set(task, work);
  }

  private async perform(task: StoredTask, signal: AbortSignal): Promise<void> {
    try {
      await this.waitForCause(signal);
      const { performAgainAt: again, tasks } = (await this.managers.get(task.process)!.perform(task)) ?? {};
      if (again === undefined) await this.store.finish(task, tasks);
      else await this.store.reschedule(task, again);
      this.count(task, again === undefined ? 'done' : 'again');
    } catch (error) {
      const delayMillis = backoffMillis(task.attempt - 1, RETRY);
      const giveUp = task.attempt >= MAX_ATTEMPTS && !waitsForOperator(error);
      this.count(task, giveUp ? 'given_up' : 'failed');
      const told = error instanceof AppError ? { code: error.code } : { stack: (error as Error).stack };
      this.logger.warn(
        { task: task.id, process: task.process, name: task.name, attempt: task.attempt, giveUp, ...told },
        `task failed: ${(error as Error).message}`,
      );
      await this.noteFailure(task, failureOf(error), giveUp ? undefined : delayMillis, signal);
    }
  }

  /**
   * Waits until the event store answers with all events that the reactor has read. The event that caused the task is one of them. Another
   * process may have read it from another node of the event store.
   */
  private async waitForCause(signal: AbortSignal): Promise<void> {
    const position = await this.reactorPosition.read();
    if (position !== undefined) await this.log.waitUntilReadable(position, signal);
  }

  private count({ process, name }: StoredTask, outcome: 'done' | 'again' | 'failed' | 'given_up'): void {
    performedTasks.inc({ process, task: name, outcome });
  }

  /**
   * Stores that a task failed. If the database does not answer, the worker tries to store the failure again until `signal` is aborted.
   * While this worker lives, no other worker takes a task that is stored as running in this worker.
   */
  private async noteFailure(
    task: StoredTask,
    failure: TaskFailure,
    delayMillis: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        return await this.store.recordFailure(task, failure, delayMillis);
      } catch (lost) {
        this.logger.warn(
          { error: (lost as Error).message },
          'could not note that a task failed, trying again',
        );
        await sleep(RETRY_MILLIS, signal);
      }
    }
  }
}

/**
 * The span of a task. A task that runs immediately after its event belongs to the event's trace. A task that is due later, or another
 * attempt after a failure, is separate work. Separate work gets a new trace with a link to the event's trace.
 */
function spanOf({ process, name, workspaceId, attempt, dueAt, traceParent }: StoredTask): SpanDescription {
  const origin = traceParent ?? undefined;
  const atOnce = dueAt === DUE_AT_ONCE && attempt === 1;
  return {
    name: `${process} ${name}`,
    kind: 'consumer',
    attributes: { 'countinghouse.workspace_id': workspaceId, 'countinghouse.attempt': attempt },
    ...(atOnce ? { parent: origin } : { parent: undefined, link: origin }),
  };
}

function failureOf(error: unknown): TaskFailure {
  const { message } = error as Error;
  return error instanceof AppError ? { message, code: error.code } : { message };
}

/** Tells whether an operator can remove the cause of an error, so that the task succeeds later. */
function waitsForOperator(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof UnreadableEvent;
}
