import { describe, expect, it } from '@jest/globals';
import { isSoftDeleted, parseStreamMetadata, SOFT_DELETED_JSON, undeletedMetadata } from './metadata.js';
import { visibleRange } from './retention.js';

const metadata = (text: object | string): ReturnType<typeof parseStreamMetadata> =>
  parseStreamMetadata(Buffer.from(typeof text === 'string' ? text : JSON.stringify(text)));

describe('the visible range of a stream', () => {
  it.each<[string, number, object, object | undefined]>([
    ['without metadata', 9, {}, { firstRevision: 0, lastRevision: 9 }],
    ['without events', -1, { $maxCount: 3 }, undefined],
    ['$maxCount', 9, { $maxCount: 3 }, { firstRevision: 7, lastRevision: 9 }],
    ['$maxCount beyond the stream', 1, { $maxCount: 3 }, { firstRevision: 0, lastRevision: 1 }],
    ['$tb', 9, { $tb: 4 }, { firstRevision: 4, lastRevision: 9 }],
    ['$tb behind the end', 9, { $tb: 20 }, { firstRevision: 20, lastRevision: 9 }],
    ['the narrower of $tb and $maxCount', 9, { $tb: 4, $maxCount: 3 }, { firstRevision: 7, lastRevision: 9 }],
    ['the other way round', 9, { $tb: 8, $maxCount: 3 }, { firstRevision: 8, lastRevision: 9 }],
    [
      '$maxAge in seconds',
      9,
      { $maxAge: 2 },
      { firstRevision: 0, lastRevision: 9, createdFromMicros: 8_000_000 },
    ],
  ])('%s', (_, lastRevision, limits, range) => {
    expect(visibleRange(lastRevision, metadata(limits), 10_000_000)).toEqual(range);
  });

  it('is nothing when the stream is soft-deleted', () => {
    expect(visibleRange(9, parseStreamMetadata(SOFT_DELETED_JSON), 0)).toBeUndefined();
  });
});

describe('stream metadata', () => {
  it.each([['not JSON'], ['[1]'], ['null'], ['7'], ['{"$maxCount":"3","$tb":-1,"$maxAge":1.5}']])(
    'that cannot be applied counts as none: %s',
    (text) => {
      const { maxCount, maxAgeSeconds, truncateBefore } = metadata(text);
      expect([maxCount, maxAgeSeconds, truncateBefore]).toEqual([undefined, undefined, undefined]);
    },
  );

  it('keeps unknown fields when a soft delete is undone', () => {
    const restored = undeletedMetadata(
      metadata('{"$tb":9223372036854775807,"owner":"us","$maxCount":4}'),
      12,
    );
    expect(JSON.parse(restored.toString())).toEqual({ $tb: 12, owner: 'us', $maxCount: 4 });
    expect(isSoftDeleted(parseStreamMetadata(restored))).toBe(false);
  });

  it('says "deleted" with the largest revision and nothing less', () => {
    expect(isSoftDeleted(parseStreamMetadata(SOFT_DELETED_JSON))).toBe(true);
    expect(isSoftDeleted(metadata({ $tb: 1_000_000 }))).toBe(false);
  });
});
