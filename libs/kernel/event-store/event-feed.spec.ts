import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { TimeoutError, type EventStoreDBClient } from '@eventstore/db-client';
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { pino } from 'pino';
import { EventVocabulary } from '#libs/kernel/domain';
import { EventCodec, EventFeed, noPersonalDataKeys } from './index.js';

const tooSlow: ServiceError = Object.assign(new Error('Consumer too slow'), {
  code: status.ABORTED,
  details: 'Operation timed out: Consumer too slow to handle event while live.',
  metadata: new Metadata(),
});

const recorded = (n: number) => ({
  event: {
    streamId: 'counted',
    id: String(n),
    revision: BigInt(n),
    type: 'Counted',
    isJson: true,
    data: { n },
    created: new Date(0),
    position: { commit: BigInt(n), prepare: BigInt(n) },
  },
});

/** A client whose store ends the subscription after each event. */
function endingClient(): EventStoreDBClient {
  let newest = 0;
  async function* one() {
    yield recorded((newest += 1));
    throw new TimeoutError(tooSlow);
  }
  const withEnd = (stream: Readable) =>
    Object.assign(stream, {
      unsubscribe: async () => void stream.destroy(),
      cancel: async () => void stream.destroy(),
    });
  return {
    subscribeToAll: () => withEnd(Readable.from(one())),
    readAll: () => withEnd(Readable.from([recorded(newest)])),
  } as unknown as EventStoreDBClient;
}

it('does not log the end of a subscription whose reader was too slow', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  const codec = new EventCodec(noPersonalDataKeys, new EventVocabulary([]));
  const over = new AbortController();
  const read: unknown[] = [];
  for await (const { events } of new EventFeed(endingClient(), codec, { logger }).batches(
    undefined,
    10,
    over.signal,
  )) {
    read.push(...events.map(({ data }) => data));
    if (read.length === 5) over.abort();
  }
  expect(read).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })));
  expect(lines).toEqual([]);
});
