import { describe, expect, it } from '@jest/globals';
import { ExactNumber, InvalidRequest } from '#libs/kernel/core';
import { readMeterAggregation, readMetricAggregation } from './aggregation.js';

const refusal = (input: unknown): InvalidRequest => {
  try {
    readMetricAggregation(input, undefined);
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(input)} was accepted`);
};

describe('readMeterAggregation', () => {
  it('keeps the given fields, without nulls', () => {
    const filter = { 'request.model': ['small', 'large'], cached: false, tier: 1 };
    expect(
      readMeterAggregation({ type: 'sum', property: 'usage.tokens', filter, groupBy: ['region'] }),
    ).toEqual({
      type: 'sum',
      property: 'usage.tokens',
      filter,
      groupBy: ['region'],
    });
    expect(readMeterAggregation({ type: 'count', property: null, filter: null, groupBy: null })).toEqual({
      type: 'count',
    });
  });

  it('accepts SQL with a filter and groups, and only for metrics', () => {
    const aggregation = { type: 'sql', filter: { model: 'large' }, groupBy: ['region'] };
    expect(readMetricAggregation(aggregation, 'count(*)')).toEqual({ ...aggregation, sql: 'count(*)' });
    expect(refusal({ type: 'sql' }).details).toMatchObject([{ field: 'sql' }]);
    expect(refusal({ type: 'sql', property: 'p' }).details).toMatchObject([
      { field: 'aggregation.property' },
    ]);
    expect(() => readMeterAggregation({ type: 'sql' })).toThrow(
      /must be one of count, sum, max, count_distinct$/,
    );
    expect(() => readMetricAggregation({ type: 'count' }, 'count(*)')).toThrow(/sql is only for/);
  });

  it.each<[unknown, string, RegExp]>([
    [null, 'aggregation', /must be an object/],
    [[], 'aggregation', /must be an object/],
    [{}, 'aggregation.type', /one of count, sum, max, count_distinct, sql/],
    [{ type: 'avg' }, 'aggregation.type', /one of count/],
    [{ type: 'count', window: 1 }, 'aggregation.window', /not a field/],
    [{ type: 'sum' }, 'aggregation.property', /required for sum/],
    [{ type: 'max' }, 'aggregation.property', /required for max/],
    [{ type: 'count_distinct' }, 'aggregation.property', /required for count_distinct/],
    [{ type: 'sum', property: 5 }, 'aggregation.property', /dot path/],
    [{ type: 'sum', property: 'a..b' }, 'aggregation.property', /empty segment/],
    [{ type: 'sum', property: 'a.__proto__' }, 'aggregation.property', /__proto__/],
    [{ type: 'sum', property: 'x.'.repeat(10) + 'x' }, 'aggregation.property', /segments/],
    [{ type: 'count', filter: [] }, 'aggregation.filter', /must be an object/],
    [{ type: 'count', filter: 'a' }, 'aggregation.filter', /must be an object/],
    [{ type: 'count', filter: { a: { b: 1 } } }, 'aggregation.filter', /must equal text/],
    [{ type: 'count', filter: { a: null } }, 'aggregation.filter', /must equal text/],
    [{ type: 'count', filter: { a: [] } }, 'aggregation.filter', /1 to \d+ values/],
    [{ type: 'count', filter: { a: new ExactNumber('12345678901234567890') } }, 'aggregation.filter', /"a"/],
    [{ type: 'count', filter: { '': 1 } }, 'aggregation.filter', /property name/],
    [{ type: 'count', groupBy: 'region' }, 'aggregation.groupBy', /must be a list/],
    [{ type: 'count', groupBy: [7] }, 'aggregation.groupBy', /property name/],
    [
      { type: 'count', groupBy: Array.from({ length: 11 }, (_, i) => `p${i}`) },
      'aggregation.groupBy',
      /at most/,
    ],
  ])('refuses %j', (input, field, message) => {
    const { code, details } = refusal(input);
    expect(code).toBe('validation_failed');
    expect(details).toEqual([{ field, message: expect.stringMatching(message) }]);
  });

  it('names every wrong field at once', () => {
    const { details } = refusal({ type: 'avg', property: 1, filter: 2, groupBy: 3, more: 4 });
    expect(details?.map(({ field }) => field)).toEqual([
      'aggregation.more',
      'aggregation.type',
      'aggregation.property',
      'aggregation.filter',
      'aggregation.groupBy',
    ]);
  });
});
