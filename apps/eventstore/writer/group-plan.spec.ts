import { describe, expect, it } from '@jest/globals';
import type { ExpectedRevision, ProposedEvent } from '../streams/events.js';
import { isSoftDeleted } from '../streams/metadata.js';
import { ABSENT_STREAM, type StreamHead } from '../streams/stream-head.js';
import { parseStreamName } from '../streams/stream-name.js';
import { GroupPlan, type RecordedLocations } from './group-plan.js';
import type { WriteRequest } from './write-request.js';

const NO_BYTES = new Uint8Array(0);
const event = (id: string): ProposedEvent => ({
  id,
  type: 'T',
  isJson: true,
  data: NO_BYTES,
  metadata: NO_BYTES,
});
const append = (stream: string, expected: ExpectedRevision, ...ids: string[]): WriteRequest => ({
  kind: 'append',
  stream: parseStreamName(stream),
  expected,
  events: ids.map(event),
});
const remove = (kind: 'delete' | 'tombstone', stream: string): WriteRequest => ({
  kind,
  stream: parseStreamName(stream),
  expected: 'any',
});

const plan = (
  requests: WriteRequest[],
  heads: Record<string, StreamHead> = {},
  recorded: RecordedLocations = new Map(),
): GroupPlan =>
  new GroupPlan(requests, {
    heads: new Map(Object.entries(heads)),
    recordedLocations: recorded,
    lastPosition: 100,
    highestStreamId: 7,
    nowMicros: 1_000,
  });

const written = (group: GroupPlan): [number, string, number, string][] =>
  group.events.map(({ position, stream, revision, id }) => [position, stream, revision, id]);

describe('a group', () => {
  it('gives contiguous positions, revisions by stream, and new streams their numbers', () => {
    const group = plan([append('s', 'any', 'a', 'b'), append('t', 'no_stream', 'c'), append('s', 1n, 'd')]);
    expect(written(group)).toEqual([
      [101, 's', 0, 'a'],
      [102, 's', 1, 'b'],
      [103, 't', 0, 'c'],
      [104, 's', 2, 'd'],
    ]);
    expect(group.outcomes).toEqual([
      { kind: 'written', revision: 1, position: 102 },
      { kind: 'written', revision: 0, position: 103 },
      { kind: 'written', revision: 2, position: 104 },
    ]);
    expect([...group.newStreamIds]).toEqual([
      ['s', 8],
      ['t', 9],
    ]);
    expect(group.changedHeads.get('s')).toMatchObject({ id: 8, revision: 2 });
  });

  it('decides each request on the state after the requests before it, and a refusal does not affect other requests', () => {
    const group = plan([
      append('s', 'no_stream', 'a'),
      append('s', 'no_stream', 'b'),
      append('s', 'no_stream', 'a'),
      append('s', 'any', 'a', 'x'),
      append('s', 0n, 'c'),
    ]);
    expect(group.outcomes).toEqual([
      { kind: 'written', revision: 0, position: 101 },
      { kind: 'wrong_expected_revision', revision: 0 },
      { kind: 'written', revision: 0, position: 101 },
      { kind: 'wrong_expected_revision', revision: 0 },
      { kind: 'written', revision: 1, position: 102 },
    ]);
    expect(written(group).map(([, , , id]) => id)).toEqual(['a', 'c']);
  });

  it('answers an append that is already recorded without writing', () => {
    const heads = { s: { ...ABSENT_STREAM, id: 3, revision: 4 } };
    const recorded = new Map([['s', new Map([['a', { revision: 2, position: 50 }]])]]);
    const group = plan([append('s', 'any', 'a')], heads, recorded);
    expect(group.outcomes).toEqual([{ kind: 'written', revision: 2, position: 50 }]);
    expect(group.events).toEqual([]);
    expect(group.lastPosition).toBe(100);
  });

  it('writes nothing for an append of no events', () => {
    const group = plan([append('s', 'any')]);
    expect(group.outcomes).toEqual([{ kind: 'written', revision: -1, position: undefined }]);
    expect(group.events).toEqual([]);
  });

  it('deletes softly with metadata, and a later append restores the stream', () => {
    const group = plan([append('s', 'any', 'a', 'b'), remove('delete', 's'), append('s', 'no_stream', 'c')]);
    expect(group.events.map(({ stream, revision, type }) => [stream, revision, type])).toEqual([
      ['s', 0, 'T'],
      ['s', 1, 'T'],
      ['$$s', 0, '$metadata'],
      ['s', 2, 'T'],
      ['$$s', 1, '$metadata'],
    ]);
    expect(group.outcomes[2]).toEqual({ kind: 'written', revision: 2, position: 104 });
    const head = group.changedHeads.get('s');
    expect(head).toMatchObject({ revision: 2, metastreamRevision: 1, metadata: { truncateBefore: 2 } });
    expect(head && isSoftDeleted(head.metadata)).toBe(false);
  });

  it('refuses to delete a stream that does not exist, and everything after a tombstone', () => {
    const group = plan([
      remove('delete', 's'),
      append('s', 'any', 'a'),
      remove('tombstone', 's'),
      append('s', 'any', 'b'),
      append('$$s', 'any', 'm'),
    ]);
    expect(group.outcomes).toEqual([
      { kind: 'wrong_expected_revision', revision: -1 },
      { kind: 'written', revision: 0, position: 101 },
      { kind: 'written', revision: 0, position: 102 },
      { kind: 'stream_deleted' },
      { kind: 'stream_deleted' },
    ]);
    expect(group.changedHeads.get('s')).toMatchObject({ tombstoned: true });
  });
});
