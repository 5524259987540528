import { describe, expect, it } from '@jest/globals';
import { earliestPosition, mergeTimeRanges } from './usage-readings.js';

const span = (metricId: string, metricVersion: number, start: string, end: string) => ({
  metricId,
  metricVersion,
  start: `2026-0${start}-01T00:00:00.000Z`,
  end: `2026-0${end}-01T00:00:00.000Z`,
});

describe('mergeTimeRanges', () => {
  it('merges the ranges of one metric version, from the first to the last instant', () => {
    expect(
      mergeTimeRanges([
        span('a', 1, '2', '3'),
        span('b', 1, '1', '2'),
        span('a', 2, '3', '4'),
        span('a', 1, '1', '2'),
      ]),
    ).toEqual([span('a', 1, '1', '3'), span('b', 1, '1', '2'), span('a', 2, '3', '4')]);
  });

  it('omits empty ranges', () => {
    expect(mergeTimeRanges([span('a', 1, '1', '1')])).toEqual([]);
  });
});

describe('earliestPosition', () => {
  it('compares positions as numbers', () => {
    expect(earliestPosition(['100', '99', '1000'])).toBe('99');
  });
});
