import { expect, it } from '@jest/globals';
import { lastInstantOfMonth, monthAfter, monthBefore, monthContaining } from './book-months.js';

it('months follow each other, over the ends of years', () => {
  expect([monthAfter('2026-12'), monthBefore('2026-01'), monthAfter('2026-01')]).toEqual([
    '2027-01',
    '2025-12',
    '2026-02',
  ]);
});

it.each([
  ['UTC', '2026-02', '2026-02-28T23:59:59.999Z'],
  ['UTC', '2026-12', '2026-12-31T23:59:59.999Z'],
  ['Europe/Berlin', '2026-01', '2026-01-31T22:59:59.999Z'],
  // Daylight saving time began on 29 March.
  ['Europe/Berlin', '2026-03', '2026-03-31T21:59:59.999Z'],
])('in %s %s ends at %s', (timezone, month, end) => {
  expect(lastInstantOfMonth(month, timezone)).toBe(end);
  expect(monthContaining(end, timezone)).toBe(month);
  const next = new Date(Date.parse(end) + 1).toISOString();
  expect(monthContaining(next, timezone)).toBe(monthAfter(month));
});
