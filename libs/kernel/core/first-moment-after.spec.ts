import { expect, it } from '@jest/globals';
import { firstMomentAfter } from './instant.js';

it.each([
  ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  ['2026-02-28', '2026-03-01'],
  ['2999-12-31T23:59:59.999Z', '3000-01-01T00:00:00.000Z'],
])('a range until %s ends before %s', (until, end) => {
  expect(firstMomentAfter(until)).toBe(end);
});
