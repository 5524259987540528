import { describe, expect, it } from '@jest/globals';
import { KeyedDigest } from './keyed-digest.js';

describe('a keyed digest', () => {
  const digest = new KeyedDigest('a secret', 'a use');
  const hex = (by: KeyedDigest, ...parts: string[]) => by.digestOf(...parts).toString('hex');

  it('is the same for the same parts', () => {
    expect(hex(digest, 'a', 'ü')).toBe(hex(new KeyedDigest('a secret', 'a use'), 'a', 'ü'));
    expect(digest.digestOf('a')).toHaveLength(32);
  });

  it('differs by parts, by where one ends, by secret and by use', () => {
    const all = [
      hex(digest, 'a', 'bc'),
      hex(digest, 'ab', 'c'),
      hex(digest, 'abc'),
      hex(new KeyedDigest('another', 'a use'), 'a', 'bc'),
      hex(new KeyedDigest('a secret', 'another use'), 'a', 'bc'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
