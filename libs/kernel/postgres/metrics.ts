import type { Pool } from 'pg';
import { ObservedGauges } from '#libs/kernel/telemetry';

const connections = new ObservedGauges(
  {
    busy: ['postgres_connections_busy', 'Connections of the pool that run something'],
    idle: ['postgres_connections_idle', 'Connections of the pool that wait for something to run'],
    waiting: ['postgres_waiting', 'Queries and transactions that wait for a connection of the pool'],
  },
  ['pool'],
);

/** Shows a pool in the process's metrics, until the returned function is called. */
export function observePool(pool: Pool, name: string): () => void {
  return connections.addReader(() => [
    {
      labels: { pool: name },
      values: {
        busy: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      },
    },
  ]);
}
