import type { Pool } from 'pg';
import type { LogLagReader } from '#libs/kernel/event-store';
import { createCounter, ObservedGauges } from '#libs/kernel/telemetry';
import { loadReactorPositions } from './checkpoints.js';
import { TaskProgressReader } from './task-progress-reader.js';

/**
 * Performed tasks by outcome: `done`, `again` (must be performed once more), `failed` (will be tried again) or `given_up`. Each process
 * manager has a fixed set of task names, so the number of label values stays small.
 */
export const performedTasks = createCounter(
  'saga_tasks_total',
  'Tasks of process managers that were performed',
  ['process', 'task', 'outcome'],
);

const backlog = new ObservedGauges(
  {
    waiting: ['saga_tasks_waiting', 'Tasks, due or not, that no worker has taken'],
    due: ['saga_tasks_due', 'Due tasks that no worker has taken'],
    overdueSeconds: ['saga_task_overdue_seconds', 'How long the oldest due task has waited'],
    givenUp: ['saga_tasks_given_up', 'Tasks that failed too often to be tried again'],
  },
  ['process'],
);
const lag = new ObservedGauges(
  {
    positions: [
      'saga_lag_positions',
      'Positions of the log that a process manager is behind; the embedded event store gives each event one',
    ],
    seconds: ['saga_lag_seconds', 'Age of the oldest event that a process manager has not reacted to'],
  },
  ['process'],
);

/** Shows the number of waiting tasks in the process's metrics, until the returned function is called. */
export function observeBacklog(pool: Pool, log: LogLagReader): () => void {
  const progress = new TaskProgressReader(pool);
  const ends = [
    backlog.addReader(async () =>
      (await progress.readBacklog()).map(({ process, ...values }) => ({ labels: { process }, values })),
    ),
    lag.addReader(async () => {
      const positions = [...(await loadReactorPositions(pool))];
      const behind = await log.lagOf(positions.map(([, position]) => position));
      return positions.map(([process], index) => ({ labels: { process }, values: { ...behind[index]! } }));
    }),
  ];
  return () => ends.forEach((end) => end());
}
