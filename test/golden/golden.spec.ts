import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { GoldenCase } from './adapter/index.ts';
import { mismatchesOf } from './mismatches.ts';

const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'cases.json'), 'utf8')) as GoldenCase[];

describe('the worked cases', () => {
  it.each(cases.map((golden) => [golden.id, golden.title, golden] as const))('%s: %s', (_, __, golden) => {
    expect(mismatchesOf(golden)).toEqual([]);
  });

  it('show a wrong amount, and a kind that nobody knows', () => {
    const golden = cases.find(({ id }) => id === 'pricing-001')!;
    const off = { ...golden, expect: { ...golden.expect, amount: '51.24' } };
    expect(mismatchesOf(off)).toEqual([
      { id: 'pricing-001', field: 'amount', expected: '51.24', actual: '51.23' },
    ]);
    expect(mismatchesOf({ ...golden, given: { kind: 'barter' } })).toEqual([
      expect.objectContaining({ field: 'barter', actual: expect.any(Error) }),
    ]);
  });
});
