import type { EventStoreDBClient } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { LogReach } from './log-reach.js';

/** A store whose log ends at these positions, one after the other; the last one stays. */
function storeThatEndsAt(...ends: bigint[]) {
  let reads = 0;
  const client = {
    readAll: async function* () {
      const end = ends[Math.min(reads++, ends.length - 1)]!;
      yield { event: { position: { commit: end, prepare: end } } };
    },
  } as unknown as EventStoreDBClient;
  return { reach: new LogReach(client), reads: () => reads };
}

const { signal } = new AbortController();

describe('the reach of the log', () => {
  it('waits until the store answers with events up to the position', async () => {
    const { reach, reads } = storeThatEndsAt(5n, 6n, 7n);
    await reach.waitFor(7n, signal);
    expect(reads()).toBe(3);
  });

  it('reads nothing for a position that was reached before', async () => {
    const { reach, reads } = storeThatEndsAt(7n);
    await reach.waitFor(7n, signal);
    await reach.waitFor(6n, signal);
    reach.note(9n);
    await reach.waitFor(9n, signal);
    expect(reads()).toBe(1);
  });

  it('is not reached when the process ends before', async () => {
    const ended = new AbortController();
    ended.abort();
    await expect(storeThatEndsAt(5n).reach.waitFor(7n, ended.signal)).rejects.toMatchObject({ status: 503 });
  });
});
