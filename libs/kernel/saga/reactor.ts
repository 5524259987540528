import type { Pool } from 'pg';
import type { Logger } from '#libs/kernel/system';
import { traceWorkOn, type EventFeed } from '#libs/kernel/event-store';
import { type Position, type RecordedEvent } from '#libs/kernel/domain';
import { inTransaction, retryUntilDone } from '#libs/kernel/postgres';
import { addReactorPosition, loadReactorPositions, moveReactorPositions } from './checkpoints.js';
import type { ProcessManager, TaskRequest } from './process-manager.js';
import { insertTasksOfReactions, notifyWorkersOf, type Reaction } from './stored-tasks.js';

const MAX_BATCH = 500;
/**
 * The time for which the reactor collects events before it stores its position. Most events cause no task, and storing the position after
 * each event would cost a commit for every write of every client.
 */
const LINGER_MILLIS = 25;

/** The tasks that follow from an event in one process manager. */
interface Work {
  readonly manager: ProcessManager;
  readonly event: RecordedEvent;
  readonly requests: readonly TaskRequest[];
}

/**
 * Reads the log, and stores the tasks of each event together with the log position that it has reached. A database has only one active
 * reactor.
 */
export class Reactor {
  private positions = new Map<string, Position | undefined>();

  constructor(
    private readonly managers: readonly ProcessManager[],
    private readonly feed: EventFeed,
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {}

  /** Runs until `signal` is aborted. Rejects if another process has become the reactor, or if tasks or positions cannot be stored. */
  async run(signal: AbortSignal): Promise<void> {
    for (const { name } of this.managers) await addReactorPosition(this.pool, name);
    const stored = await loadReactorPositions(this.pool);
    this.positions = new Map(this.managers.map(({ name }) => [name, stored.get(name)]));
    for await (const batch of this.feed.batches(this.lowest(), MAX_BATCH, signal, LINGER_MILLIS)) {
      await this.commit(batch.events, batch.position, signal);
    }
  }

  private async commit(events: RecordedEvent[], position: Position, signal: AbortSignal): Promise<void> {
    const moved = [...this.positions]
      .filter(([, from]) => from === undefined || from < position)
      .map(([process, from]) => ({ process, from }));
    await retryUntilDone(
      signal,
      () => this.store(events, moved, position),
      (error, attempt) =>
        this.logger.warn({ error: error.message, attempt }, 'storing reactions failed, trying again'),
    );
    for (const { process } of moved) this.positions.set(process, position);
  }

  private async store(
    events: readonly RecordedEvent[],
    moved: { process: string; from: Position | undefined }[],
    position: Position,
  ): Promise<void> {
    const work = (await Promise.all(this.managers.map((manager) => this.workFor(manager, events)))).flat();
    // Most events cause no task. A checkpoint that is moved alone needs no transaction.
    if (work.length === 0) return moveReactorPositions(this.pool, moved, position);
    const reactedTo = [...new Set(work.map(({ event }) => event))];
    await traceWorkOn('react', reactedTo, () =>
      inTransaction(this.pool, async (tx) => {
        await insertTasksOfReactions(tx, work.map(reactionOf));
        await moveReactorPositions(tx, moved, position);
        await notifyWorkersOf(
          tx,
          work.map(({ manager }) => manager.name),
        );
      }),
    );
  }

  private async workFor(manager: ProcessManager, events: readonly RecordedEvent[]): Promise<Work[]> {
    const from = this.positions.get(manager.name);
    const work = events
      .filter((event) => from === undefined || event.position > from)
      .map((event) => ({ manager, event, requests: manager.react(event) }))
      .filter(({ requests }) => requests.length > 0);
    if (work.length === 0 || !manager.workspacesWithWork) return work;
    const workspacesWithWork = await manager.workspacesWithWork([...new Set(work.map(workspaceOf))]);
    return work.filter((one) => workspacesWithWork.has(workspaceOf(one)));
  }

  private lowest(): Position | undefined {
    let lowest: Position | undefined;
    for (const position of this.positions.values()) {
      if (position === undefined) return undefined;
      if (lowest === undefined || position < lowest) lowest = position;
    }
    return lowest;
  }
}

function workspaceOf({ event }: Work): string {
  return event.metadata.workspaceId;
}

function reactionOf({ manager, event, requests }: Work): Reaction {
  const { workspaceId, correlationId, traceParent } = event.metadata;
  return {
    process: manager.name,
    event: {
      eventId: event.id,
      eventAt: event.recordedAt.toISOString(),
      workspaceId,
      correlationId,
      traceParent,
    },
    requests,
  };
}
