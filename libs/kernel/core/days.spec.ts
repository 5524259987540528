import { describe, expect, it } from '@jest/globals';
import { dayIn, startOfMonth } from './days.js';

describe('days of a time zone', () => {
  it.each([
    ['UTC', '2026-01-31T23:30:00.000Z', '2026-01-31'],
    ['Europe/Berlin', '2026-01-31T23:30:00.000Z', '2026-02-01'],
    ['America/New_York', '2026-01-01T04:59:59.999Z', '2025-12-31'],
    ['Pacific/Kiritimati', '2026-01-01T10:00:00.000Z', '2026-01-02'],
  ])('in %s %s is on %s', (timezone, instant, day) => {
    expect(dayIn(timezone, instant)).toBe(day);
    expect(dayIn(timezone, Date.parse(instant))).toBe(day);
  });
});

describe('the start of a month', () => {
  it.each([
    ['UTC', 2026, 12, '2027-01-01T00:00:00.000Z'],
    ['Europe/Berlin', 2026, 3, '2026-03-31T22:00:00.000Z'],
    ['Europe/Berlin', 2026, 23, '2027-11-30T23:00:00.000Z'],
    // On 1 October 2017 its clocks went from midnight to one.
    ['America/Asuncion', 2017, 9, '2017-10-01T04:00:00.000Z'],
  ])('in %s, of %d, month %d, is %s', (timezone, year, month, start) => {
    expect(startOfMonth(year, month, timezone)).toBe(start);
  });
});
