import type { Pool } from 'pg';
import { insertTasksOfReactions, type Reaction } from '../../libs/kernel/saga/stored-tasks.js';

/** Which tasks a test stores. All are of process manager `sender` and workspace acc_1, unless this says otherwise. */
export interface TasksToAdd {
  process?: string;
  name?: string;
  workspaceId?: string;
  /** The event that asks for them. Default: another event each time. */
  eventId?: string;
  queue?: string;
  /** Due at this instant of the machine's clock. Default: at once. */
  dueAt?: string;
}

let events = 0;

/** Stores `count` tasks of one event. Those of one event and one name are stored once. */
export async function addTasks(pool: Pool, count: number, tasks: TasksToAdd = {}): Promise<void> {
  const { process = 'sender', name = 'work', workspaceId = 'acc_1', eventId, ...more } = tasks;
  const event = {
    eventId: eventId ?? `event-${++events}`,
    workspaceId,
    correlationId: 'request-1',
  } satisfies Reaction['event'];
  const requests = Array.from({ length: count }, (_, n) => ({
    name,
    key: `${n}`,
    payload: {},
    clock: 'system' as const,
    ...more,
  }));
  await insertTasksOfReactions(pool, [{ process, event, requests }]);
}
