import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ANY,
  AccessDeniedError,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
  WrongExpectedVersionError,
  binaryEvent,
  jsonEvent,
  type AppendExpectedRevision,
  type AppendResult,
} from '@eventstore/db-client';
import { systemClock } from '#libs/kernel/system';
import { collect, itDenies, newStream, numbered, openStore, type StoreUnderTest } from './support.js';

/** How a test brings a stream into the state that the append meets. */
type Situation = 'absent' | 'three events' | 'metadata only' | 'soft-deleted' | 'tombstoned';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

async function streamIn(situation: Situation): Promise<string> {
  const { client } = store;
  const stream = newStream();
  if (situation === 'metadata only') await client.setStreamMetadata(stream, { maxCount: 100 });
  if (situation === 'absent' || situation === 'metadata only') return stream;
  await client.appendToStream(stream, numbered(3));
  if (situation === 'soft-deleted') await client.deleteStream(stream);
  if (situation === 'tombstoned') await client.tombstoneStream(stream);
  return stream;
}

// With credentials of its own a call goes through Append, without through BatchAppend.
describe.each([
  { path: 'BatchAppend', options: {} },
  { path: 'Append', options: { credentials: { username: 'admin', password: 'changeit' } } },
])('an append by $path', ({ options }) => {
  const append = (
    stream: string,
    expectedRevision: AppendExpectedRevision,
    events = numbered(2, 3),
  ): Promise<AppendResult> => store.client.appendToStream(stream, events, { expectedRevision, ...options });

  it.each<{ situation: Situation; expected: AppendExpectedRevision; next: bigint }>([
    { situation: 'absent', expected: ANY, next: 1n },
    { situation: 'absent', expected: NO_STREAM, next: 1n },
    { situation: 'metadata only', expected: ANY, next: 1n },
    { situation: 'metadata only', expected: NO_STREAM, next: 1n },
    { situation: 'metadata only', expected: STREAM_EXISTS, next: 1n },
    { situation: 'three events', expected: ANY, next: 4n },
    { situation: 'three events', expected: STREAM_EXISTS, next: 4n },
    { situation: 'three events', expected: 2n, next: 4n },
    { situation: 'soft-deleted', expected: ANY, next: 4n },
    { situation: 'soft-deleted', expected: NO_STREAM, next: 4n },
    { situation: 'soft-deleted', expected: 2n, next: 4n },
  ])(
    'to a stream that is $situation, expecting $expected, succeeds',
    async ({ situation, expected, next }) => {
      const result = await append(await streamIn(situation), expected);
      expect(result).toMatchObject({ success: true, nextExpectedRevision: next });
      expect(result.position?.commit).toBeGreaterThan(0n);
    },
  );

  it.each<{ situation: Situation; expected: AppendExpectedRevision; actual: bigint | 'no_stream' }>([
    { situation: 'absent', expected: STREAM_EXISTS, actual: 'no_stream' },
    { situation: 'absent', expected: 0n, actual: 'no_stream' },
    { situation: 'absent', expected: 7n, actual: 'no_stream' },
    { situation: 'metadata only', expected: 0n, actual: 'no_stream' },
    { situation: 'three events', expected: NO_STREAM, actual: 2n },
    { situation: 'three events', expected: 0n, actual: 2n },
    { situation: 'three events', expected: 1n, actual: 2n },
    { situation: 'three events', expected: 3n, actual: 2n },
    { situation: 'soft-deleted', expected: 1n, actual: 2n },
    { situation: 'soft-deleted', expected: 3n, actual: 2n },
  ])(
    'to a stream that is $situation, expecting $expected, is refused with the revision $actual',
    async ({ situation, expected, actual }) => {
      const stream = await streamIn(situation);
      const error = await append(stream, expected).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ streamName: stream, expectedVersion: expected, actualVersion: actual });
    },
  );

  it.each<{ situation: Situation; expected: AppendExpectedRevision }>([
    { situation: 'soft-deleted', expected: STREAM_EXISTS },
    { situation: 'tombstoned', expected: ANY },
    { situation: 'tombstoned', expected: NO_STREAM },
    { situation: 'tombstoned', expected: STREAM_EXISTS },
    { situation: 'tombstoned', expected: 2n },
  ])(
    'to a stream that is $situation, expecting $expected, finds it deleted',
    async ({ situation, expected }) => {
      const stream = await streamIn(situation);
      const error = await append(stream, expected).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StreamDeletedError);
      expect(error).toMatchObject({ streamName: stream });
    },
  );

  it('writes nothing when it is refused', async () => {
    const stream = await streamIn('three events');
    await expect(append(stream, 0n)).rejects.toBeInstanceOf(WrongExpectedVersionError);
    const events = await collect(store.client.readStream(stream));
    expect(events.map(({ event }) => event?.revision)).toEqual([0n, 1n, 2n]);
  });

  itDenies('to $all is denied, whatever it expects', async () => {
    for (const expected of [ANY, NO_STREAM, STREAM_EXISTS, 0n] as const)
      await expect(append('$all', expected)).rejects.toBeInstanceOf(AccessDeniedError);
    await expect(append(newStream(), ANY)).resolves.toMatchObject({ success: true });
  });

  it('of more than a mebibyte is refused, and one of less is not', async () => {
    const mebibyte = 1024 * 1024;
    const blob = (bytes: number): ReturnType<typeof binaryEvent> =>
      binaryEvent({ type: 'Blob', data: Buffer.alloc(bytes, 1) });
    const stream = newStream();
    const error = await append(stream, ANY, [blob(mebibyte / 2), blob(mebibyte / 2 + 1)] as never).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(error).toMatchObject({ maxAppendSize: mebibyte });
    await expect(append(stream, NO_STREAM, [blob(mebibyte - 1_000)] as never)).resolves.toMatchObject({
      nextExpectedRevision: 0n,
    });
  });

  it('far larger than allowed, in several messages, fails alone', async () => {
    const big = binaryEvent({ type: 'Blob', data: Buffer.alloc(4 * 1024 * 1024, 1) });
    const [tooLarge, fine] = await Promise.allSettled([
      append(newStream(), ANY, [big, big] as never),
      append(newStream(), ANY),
    ]);
    expect(tooLarge).toMatchObject({ status: 'rejected', reason: expect.any(MaxAppendSizeExceededError) });
    expect(fine.status).toBe('fulfilled');
  });

  it('keeps payload, metadata, type, id and time as they are', async () => {
    const stream = newStream('größe ✓');
    const json = jsonEvent({
      type: 'Typ ä',
      data: { text: 'naïve ✓ \u0000', list: [1, 2.5, null] },
      metadata: { actor: 'ü' },
    });
    const binary = binaryEvent({
      type: 'Bytes',
      data: Buffer.from([0, 255, 92, 120]),
      metadata: Buffer.from([0, 1, 92]),
    });
    const before = systemClock.nowMillis();
    await append(stream, NO_STREAM, [json, binary] as never);
    const [first, second] = await collect(store.client.readStream(stream));
    expect(first?.event).toMatchObject({
      streamId: stream,
      id: json.id,
      type: 'Typ ä',
      isJson: true,
      data: json.data,
      metadata: json.metadata,
    });
    expect(second?.event).toMatchObject({ id: binary.id, type: 'Bytes', isJson: false });
    expect([...(second?.event?.data as Uint8Array)]).toEqual([0, 255, 92, 120]);
    expect([...(second?.event?.metadata as unknown as Uint8Array)]).toEqual([0, 1, 92]);
    const created = first?.event?.created.getTime() ?? 0;
    expect(Math.abs(created - before)).toBeLessThan(60_000);
  });
});
