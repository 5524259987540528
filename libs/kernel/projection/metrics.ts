import type { Pool } from 'pg';
import type { LogLagReader } from '#libs/kernel/event-store';
import { ObservedGauges } from '#libs/kernel/telemetry';
import { loadCheckpoints } from './checkpoints.js';

const lag = new ObservedGauges(
  {
    positions: [
      'projection_lag_positions',
      'Positions of the log that a read model is behind; the embedded event store gives each event one',
    ],
    seconds: ['projection_lag_seconds', 'Age of the oldest event that a read model has not taken in'],
  },
  ['projection'],
);

/** Shows in the process's metrics how far each read model is behind, until the returned function is called. */
export function observeProjectionLag(pool: Pool, log: LogLagReader): () => void {
  return lag.addReader(async () => {
    const checkpoints = [...(await loadCheckpoints(pool)).values()];
    const behind = await log.lagOf(checkpoints.map(({ position }) => position));
    return checkpoints.map(({ name }, index) => ({
      labels: { projection: name },
      values: { ...behind[index]! },
    }));
  });
}
