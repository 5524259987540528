import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { GoldenCase } from './adapter/index.ts';
import { mismatchesOf } from './mismatches.ts';

const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'cases.json'), 'utf8')) as GoldenCase[];

describe('the worked cases', () => {
  it.each(cases.map((golden) => [golden.id, golden.title, golden] as const))(
    '%s: %s',
    (_id, _title, golden) => {
      expect(mismatchesOf(golden)).toEqual([]);
    },
  );

  const golden = cases.find(({ id }) => id === 'pricing-001')!;

  it('show a wrong amount, and a kind that nobody knows', () => {
    const off = { ...golden, expect: { ...golden.expect, amount: '51.24' } };
    expect(mismatchesOf(off)).toEqual([
      { id: 'pricing-001', field: 'amount', expected: '51.24', actual: '51.23' },
    ]);
    expect(mismatchesOf({ ...golden, given: { kind: 'barter' } })).toEqual([
      expect.objectContaining({ field: 'barter', actual: expect.any(Error) }),
    ]);
  });

  it.each<[string, object, string]>([
    ['of what is given', { given: { ...golden.given, discount: '5' } }, 'given.discount'],
    [
      'within it',
      { given: { ...golden.given, price: { model: 'unit', unit_price: '5.12345', setup_fee: '1' } } },
      'given.price.setup_fee',
    ],
    [
      'of an element of a list',
      { given: { kind: 'invoice', currency: 'EUR', lines: [{ amount: '1', tax: '0.19' }] } },
      'given.lines.tax',
    ],
    ['of the case', { expectation: {} }, 'expectation'],
  ])('refuse a field that nobody reads: one %s', (_, more, field) => {
    const [mismatch, ...others] = mismatchesOf({ ...golden, ...more });
    expect((mismatch!.actual as Error).message).toMatch(/^pricing-001: .* does not read /);
    expect((mismatch!.actual as Error).message).toContain(field);
    expect(others).toEqual([]);
  });

  it('refuse a value that asks for something else than the product does', () => {
    const listed = cases.find(({ given }) => given.kind === 'coupons')!;
    const sorted = { ...listed, given: { ...listed.given, order: 'percentages_first' } };
    expect(mismatchesOf(sorted)).toEqual([
      expect.objectContaining({
        actual: new Error('order "percentages_first" is not known, only "as_listed"'),
      }),
    ]);
  });
});
