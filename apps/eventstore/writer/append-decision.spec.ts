import { describe, expect, it } from '@jest/globals';
import type { EventLocation, ExpectedRevision } from '../streams/events.js';
import { decideAppend, type AppendDecision } from './append-decision.js';

type Stream = Parameters<typeof decideAppend>[0];

const NEW: Stream = { revision: -1, tombstoned: false, softDeleted: false, hasMetadata: false };
const METADATA_ONLY: Stream = { ...NEW, hasMetadata: true };
/** A stream with the events a, b and c as revisions 0, 1 and 2, at positions 10, 11 and 12. */
const THREE: Stream = { ...NEW, revision: 2 };
const SOFT_DELETED: Stream = { ...THREE, softDeleted: true, hasMetadata: true };
const TOMBSTONED: Stream = { ...THREE, tombstoned: true };

const recorded: Record<string, EventLocation> = {
  a: { revision: 0, position: 10 },
  b: { revision: 1, position: 11 },
  c: { revision: 2, position: 12 },
};

const decide = (stream: Stream, expected: ExpectedRevision, ids: string): AppendDecision =>
  decideAppend(stream, expected, [...ids], (id) => (stream.revision >= 0 ? recorded[id] : undefined));

const APPEND = { kind: 'append' };
const WRONG = { kind: 'wrong_expected_revision' };
const CORRUPTED = { kind: 'corrupted_idempotency' };
const DELETED = { kind: 'stream_deleted' };
const repeated = (id: string): object => ({ kind: 'idempotent', last: recorded[id] });

describe('the append decision', () => {
  it.each<[string, Stream, ExpectedRevision, string, object]>([
    ['hard-deleted', TOMBSTONED, 'any', 'x', DELETED],
    ['hard-deleted, even for a repetition', TOMBSTONED, 'no_stream', 'a', DELETED],
    ['hard-deleted, at its revision', TOMBSTONED, 2n, 'x', DELETED],
    ['brand-new, any', NEW, 'any', 'x', APPEND],
    ['brand-new, no stream', NEW, 'no_stream', 'x', APPEND],
    ['brand-new, a revision', NEW, 0n, 'x', WRONG],
    ['brand-new, stream exists', NEW, 'stream_exists', 'x', WRONG],
    ['stream exists, soft-deleted', SOFT_DELETED, 'stream_exists', 'x', DELETED],
    ['stream exists, metadata only', METADATA_ONLY, 'stream_exists', 'x', APPEND],
    ['any, all ids known', THREE, 'any', 'ab', repeated('b')],
    ['any, the last known', THREE, 'any', 'c', repeated('c')],
    ['stream exists, all ids known', THREE, 'stream_exists', 'abc', repeated('c')],
    ['any, first id unknown', THREE, 'any', 'x', APPEND],
    ['any, first known and a later one not', THREE, 'any', 'ax', CORRUPTED],
    ['any, first unknown and a later one not', THREE, 'any', 'xa', CORRUPTED],
    ['any, zero events', THREE, 'any', '', APPEND],
    ['stream exists, zero events', THREE, 'stream_exists', '', APPEND],
    ['behind, the same events', THREE, 0n, 'bc', repeated('c')],
    ['behind, the first of them', THREE, 'no_stream', 'a', repeated('a')],
    ['behind, first differs', THREE, 0n, 'x', WRONG],
    ['behind, first is there but elsewhere', THREE, 0n, 'c', WRONG],
    ['behind, a later one differs', THREE, 'no_stream', 'ax', CORRUPTED],
    ['behind, more than there is', THREE, 0n, 'bcx', CORRUPTED],
    ['behind, zero events', THREE, 0n, '', WRONG],
    ['no stream, soft-deleted', SOFT_DELETED, 'no_stream', 'x', APPEND],
    ['no stream, soft-deleted, the same events', SOFT_DELETED, 'no_stream', 'ab', repeated('b')],
    ['no stream, soft-deleted, an old event', SOFT_DELETED, 'no_stream', 'c', repeated('c')],
    ['a revision behind, soft-deleted', SOFT_DELETED, 0n, 'x', WRONG],
    ['ahead', THREE, 3n, 'x', WRONG],
    ['ahead, known events', THREE, 3n, 'a', WRONG],
    ['ahead by all there is', THREE, (1n << 63n) - 1n, 'x', WRONG],
    ['current', THREE, 2n, 'x', APPEND],
    ['current, zero events', THREE, 2n, '', APPEND],
    ['current, soft-deleted', SOFT_DELETED, 2n, 'x', APPEND],
    ['current, known events', THREE, 2n, 'ab', repeated('b')],
    ['current, some events known', THREE, 2n, 'xb', CORRUPTED],
  ])('%s', (_, stream, expected, ids, decision) => {
    expect(decide(stream, expected, ids)).toEqual(decision);
  });
});
