import { describe, expect, it } from '@jest/globals';
import { aggregationFaults, meterKey, type MeterAggregation } from './definition.js';
import { propertyPathProblem } from './property-path.js';

const key = (aggregation: MeterAggregation, more: object = {}): string =>
  meterKey({ metricId: 'met_1', version: 1, workspaceId: 'acc_1', eventName: 'call', aggregation, ...more });

describe('meterKey', () => {
  it('is equal for definitions that measure the same', () => {
    const one = key({ type: 'sum', property: 'n', filter: { a: ['x', 1], b: true }, groupBy: ['g', 'h'] });
    const same = key(
      { type: 'sum', property: 'n', filter: { b: [true], a: ['1', 'x', 1] }, groupBy: ['h', 'g'] },
      { metricId: 'met_2', version: 7 },
    );
    expect(same).toBe(one);
    expect(key({ type: 'count', property: 'n' })).toBe(key({ type: 'count' }));
  });

  it('is different for every relevant difference', () => {
    const sum = { type: 'sum', property: 'n' } as const;
    const keys = [
      key(sum),
      key({ ...sum, type: 'max' }),
      key({ ...sum, property: 'm' }),
      key({ ...sum, filter: { a: 1 } }),
      key({ ...sum, filter: { a: 1.5 } }),
      key({ ...sum, groupBy: ['a'] }),
      key(sum, { eventName: 'other' }),
      key(sum, { workspaceId: 'acc_2' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('propertyPathProblem', () => {
  it.each(['model', 'a.b.c', 'items.0.price', 'http.status_code', 'ключ', "it's"])('takes %s', (path) =>
    expect(propertyPathProblem(path)).toBeUndefined(),
  );
  it.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '__proto__.x',
    'a.constructor',
    'prototype',
    'a.'.repeat(999) + 'a',
    'a.b.c.d.e.f.g.h.i.j.k',
    'x'.repeat(257),
    'a\0',
    '\ud800',
  ])('refuses %j', (path) => expect(propertyPathProblem(path)).toEqual(expect.any(String)));
});

describe('aggregationFaults', () => {
  const fields = (aggregation: MeterAggregation): string[] =>
    aggregationFaults(aggregation).map(({ field }) => field);

  it('is empty for a measurable aggregation', () => {
    expect(fields({ type: 'count', filter: { a: [1, 'x', false] }, groupBy: ['a', 'b'] })).toEqual([]);
    expect(fields({ type: 'count_distinct', property: 'user.id' })).toEqual([]);
  });

  it.each<[string, MeterAggregation, string]>([
    ['no property', { type: 'sum' }, 'property'],
    ['a wrong path', { type: 'max', property: 'a..b' }, 'property'],
    ['a wrong path in the filter', { type: 'count', filter: { '__proto__.a': 1 } }, 'filter'],
    ['an empty list of values', { type: 'count', filter: { a: [] } }, 'filter'],
    ['an object as value', { type: 'count', filter: { a: { b: 1 } as never } }, 'filter'],
    [
      'eleven filters',
      { type: 'count', filter: Object.fromEntries(Array.from('abcdefghijk', (p) => [p, 1])) },
      'filter',
    ],
    ['a wrong path in groupBy', { type: 'count', groupBy: ['constructor'] }, 'groupBy'],
    ['no text in groupBy', { type: 'count', groupBy: [{ toString: 1 }] as unknown as string[] }, 'groupBy'],
    ['six groups', { type: 'count', groupBy: [...'abcdef'] }, 'groupBy'],
  ])('finds %s', (_, aggregation, field) => expect(fields(aggregation)).toEqual([field]));
});
