import { describe, expect, it } from '@jest/globals';
import { TimeWindow } from './time-window.js';

describe('TimeWindow', () => {
  const window = new TimeWindow('2026-03-10T12:00:00.000Z');

  it.each([
    ['2026-03-10T12:05:00.000000Z', undefined],
    ['2026-03-10T12:05:00.000001Z', 'timestamp_too_late'],
    ['2026-02-03T12:00:00.000000Z', undefined],
    ['2026-02-03T11:59:59.999999Z', 'timestamp_too_early'],
  ])('checks %s to the microsecond', (timestamp, code) => {
    expect(window.refusalOf(timestamp)?.code).toBe(code);
  });

  it.each([
    ['2026-03-10T12:05:00.000001Z', 'timestamp_too_late'],
    ['2026-02-03T11:59:59.999999Z', undefined],
    ['1900-01-01T00:00:00.000000Z', undefined],
    [undefined, 'missing_field'],
  ])('accepts or refuses %s for the past, however long ago', (timestamp, code) => {
    expect(new TimeWindow('2026-03-10T12:00:00.000Z', 'past').refusalOf(timestamp)?.code).toBe(code);
  });
});
