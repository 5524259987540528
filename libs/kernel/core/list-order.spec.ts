import { describe, expect, it } from '@jest/globals';
import { cursorOf, readCursor } from './list-order.js';

const order = { list: 'entries', keyParts: ['instant', 'number', 'text'] } as const;
const KEY = ['2026-01-31T00:00:00.000001Z', '9223372036854775807', 'é"x'] as const;

describe('a place in a list', () => {
  it('accepts the integers of the database', () => {
    const lines = { list: 'lines', keyParts: ['integer'] } as const;
    expect(readCursor(lines, cursorOf(lines, ['2147483647']))).toEqual(['2147483647']);
    expect(() => readCursor(lines, cursorOf(lines, ['2147483648']))).toThrow(/^after: must be the next/);
  });

  it('is text that leads to the same place', () => {
    expect(readCursor(order, cursorOf(order, KEY))).toEqual(KEY);
    expect(cursorOf(order, KEY)).toMatch(/^[\w-]+$/);
  });

  it.each([
    [['yesterday', KEY[1], KEY[2]]],
    [['2026-02-30T00:00:00Z', KEY[1], KEY[2]]],
    [['2026-01-31T00:00:00+23:59', KEY[1], KEY[2]]],
    [['2026-01-31T00:00:00,5Z', KEY[1], KEY[2]]],
    [[KEY[0], '9223372036854775808', KEY[2]]],
    [[KEY[0], '-1', KEY[2]]],
    [[KEY[0], KEY[1], 'a\u0000b']],
    [[KEY[0], KEY[1], 'x'.repeat(513)]],
    [[KEY[0], KEY[1]]],
    [[...KEY, 'more']],
  ] as [[string, ...string[]]][])('is refused with values that the database would not take: %j', (key) => {
    expect(() => readCursor(order, cursorOf(order, key))).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        details: [expect.objectContaining({ field: 'after' })],
      }),
    );
  });
});
