import { describe, expect, it } from '@jest/globals';
import { addSeconds, laterOf, parseInstant, parseInstantOrDate, parsePreciseInstant } from './instant.js';

describe('reading instants', () => {
  it.each([
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31t10:00:00.1z', '2026-01-31T10:00:00.100Z'],
    ['2026-01-31 10:00+05:30', '2026-01-31T04:30:00.000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T10:00:00.999999Z', '2026-01-31T10:00:00.999Z'],
  ])('reads %s as %s', (text, expected) => expect(parseInstant(text)).toBe(expected));

  it.each([
    '',
    'yesterday',
    '2026-01-31T10:00:00',
    '2026-02-29',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-01-31T24:00:00Z',
    '2026-01-31T10:60:00Z',
    '2026-01-31T10:00:60Z',
    '2026-01-31T10:00:00+24:00',
    '1767225600',
  ])('refuses "%s"', (text) => expect(parseInstant(text)).toBeUndefined());

  it.each(['0000-01-01', '1899-12-31', '3000-01-01', '9999-12-31', '1900-01-01T00:00:00+01:00'])(
    'refuses %s, from which periods would leave the years that can be stored',
    (text) => expect(parseInstant(text)).toBeUndefined(),
  );

  it('returns a date unchanged if calendar days are accepted', () => {
    expect(parseInstantOrDate('2026-02-28')).toBe('2026-02-28');
    expect(parseInstantOrDate('2026-02-28T00:00:00Z')).toBe('2026-02-28T00:00:00.000Z');
    expect(parseInstantOrDate('2026-02-30')).toBeUndefined();
  });

  it('keeps microseconds on request', () => {
    expect(parsePreciseInstant('2026-01-31T10:00:00.1234567Z')).toBe('2026-01-31T10:00:00.123456Z');
  });
});

describe('calculating with instants', () => {
  it('adds seconds, also negative ones and fractions', () => {
    expect(addSeconds('2026-01-01T00:00:00.000Z', 90)).toBe('2026-01-01T00:01:30.000Z');
    expect(addSeconds('2026-01-01T00:00:00.000Z', -0.001)).toBe('2025-12-31T23:59:59.999Z');
  });

  it('returns the later of two instants', () => {
    const [early, late] = ['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'];
    expect(laterOf(early, late)).toBe(late);
    expect(laterOf(late, early)).toBe(late);
  });
});
