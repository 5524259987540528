import { describe, expect, it } from '@jest/globals';
import { parseWholeNumber } from './index.js';

describe('a whole number in a text', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('is read from %s', (text, number) => {
    expect(parseWholeNumber(text)).toBe(number);
  });

  it.each(['', ' 1', '-1', '+1', '1.0', '1e3', '0x10', '1_000', '٣', '9007199254740992'])(
    'is not %p',
    (text) => {
      expect(parseWholeNumber(text)).toBeUndefined();
    },
  );

  it('is within its limits, both included', () => {
    const read = (text: string) => parseWholeNumber(text, { min: 1, max: 65_535 });
    expect(['0', '1', '65535', '65536'].map(read)).toEqual([undefined, 1, 65_535, undefined]);
  });
});
