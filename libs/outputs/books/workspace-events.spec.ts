import { describe, expect, it, jest } from '@jest/globals';
import type { EventBatch, EventFeed } from '#libs/kernel/event-store';
import type { RecordedEvent } from '#libs/kernel/domain';
import { workspaceEvents } from './workspace-events.js';

function batchOf(...positions: bigint[]): EventBatch {
  const events = positions.map(
    (position) =>
      ({ position, metadata: { workspaceId: position === 2n ? 'other' : 'own' } }) as RecordedEvent,
  );
  return { events, position: positions.at(-1)! };
}

/** A log that is read as it is, and ends with the last batch or when the signal is aborted. */
function logOf(batches: readonly EventBatch[]) {
  const history = jest.fn<EventFeed['history']>(async function* (_after, _batch, signal) {
    for (const batch of batches) {
      if (signal.aborted) return;
      yield batch;
    }
  });
  return { history };
}

describe('the events of a workspace', () => {
  it('are read as a long history, up to the given position', async () => {
    const feed = logOf([batchOf(1n, 2n), batchOf(3n, 4n), batchOf(5n)]);
    const { signal } = new AbortController();
    const read: bigint[] = [];
    for await (const { events } of workspaceEvents(feed, 'own', 3n, signal))
      read.push(...events.map(({ position }) => position));
    expect(read).toEqual([1n, 3n]);
    expect(feed.history).toHaveBeenCalledWith(undefined, expect.any(Number), signal, true);
  });

  it('are never taken for all if the reading was aborted', async () => {
    const stop = new AbortController();
    const read = async () => {
      const log = logOf([batchOf(1n), batchOf(3n)]);
      for await (const { position } of workspaceEvents(log, 'own', 3n, stop.signal))
        if (position === 1n) stop.abort();
    };
    await expect(read()).rejects.toThrow('aborted');
  });

  it('are never taken for all if the log ends before', async () => {
    const read = async () => {
      const { signal } = new AbortController();
      for await (const { position } of workspaceEvents(logOf([batchOf(1n)]), 'own', 3n, signal))
        expect(position).toBe(1n);
    };
    await expect(read()).rejects.toThrow('ends at position 1, before 3');
  });
});
