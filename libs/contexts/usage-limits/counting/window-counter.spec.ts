import { describe, expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { remainingQuantity, type LimitCountingTerms } from './limit-use.js';
import { WindowCounter } from './window-counter.js';

const sum: LimitCountingTerms = {
  limit: '10',
  action: 'block',
  warnAt: ['0.5', '0.8'],
  metric: { aggregation: { type: 'sum' } },
};
const max: LimitCountingTerms = { ...sum, metric: { aggregation: { type: 'max' } } };
const notify: LimitCountingTerms = { ...sum, action: 'notify' };
const value = (text: string) => new Decimal(text);

describe('the counter of a window', () => {
  it('reaches each threshold once, in ascending order', () => {
    const counter = new WindowCounter('0', []);
    expect(counter.countEvent(sum, value('4.999'))).toEqual([]);
    expect(counter.countEvent(sum, value('3.001'))).toEqual(['0.5', '0.8']);
    expect(counter.countEvent(sum, value('-4'))).toEqual([]);
    expect(counter.countEvent(sum, value('6'))).toEqual(['1']);
    expect(counter).toMatchObject({ used: '10', told: ['0.5', '0.8', '1'], hasChanged: true });
  });

  it('refuses what exceeds the limit, and the first refusal reaches it', () => {
    const counter = new WindowCounter('9', ['0.5', '0.8']);
    expect(counter.thresholdsOnRefusal(sum, value('1'))).toBeUndefined();
    expect(counter.hasChanged).toBe(false);
    expect(counter.thresholdsOnRefusal(sum, value('1.1'))).toEqual(['1']);
    expect(counter.thresholdsOnRefusal(sum, value('2'))).toEqual([]);
    expect(counter).toMatchObject({ used: '9', told: ['0.5', '0.8', '1'], hasChanged: true });
  });

  it('lets corrections pass beyond the limit, and what is only told of', () => {
    const counter = new WindowCounter('15', ['1']);
    expect(counter.thresholdsOnRefusal(sum, value('0'))).toBeUndefined();
    expect(counter.thresholdsOnRefusal(sum, value('-1'))).toBeUndefined();
    expect(counter.thresholdsOnRefusal(sum, value('0.1'))).toEqual([]);
    expect(counter.thresholdsOnRefusal(notify, value('100'))).toBeUndefined();
  });

  it('of a maximum has the largest value', () => {
    const counter = new WindowCounter('4', []);
    expect(counter.thresholdsOnRefusal(max, value('10'))).toBeUndefined();
    expect(counter.countEvent(max, value('10'))).toEqual(['0.5', '0.8', '1']);
    expect(counter.thresholdsOnRefusal(max, value('7'))).toBeUndefined();
    counter.countEvent(max, value('7'));
    expect(counter.used).toBe('10');
    expect(counter.thresholdsOnRefusal(max, value('10.5'))).toEqual([]);
  });

  it('of a limit of 0 allows nothing, and reaches nothing before it is used', () => {
    const none = { ...sum, limit: '0' };
    const counter = new WindowCounter('0', []);
    expect(counter.countEvent(none, value('0'))).toEqual([]);
    expect(counter.thresholdsOnRefusal(none, value('0.01'))).toEqual(['1']);
  });

  it('counts each distinct value once, and never refuses one that it has counted', () => {
    const distinct = { ...sum, limit: '2', metric: { aggregation: { type: 'count_distinct' } } };
    const counter = new WindowCounter('1', [], new Set(['a']));
    expect(counter.countEvent(distinct, value('1'), 'a')).toEqual([]);
    expect(counter.countEvent(distinct, value('1'), 'b')).toEqual(['0.5', '0.8', '1']);
    expect(counter.thresholdsOnRefusal(distinct, value('1'), 'c')).toEqual([]);
    expect(counter.thresholdsOnRefusal(distinct, value('1'), 'b')).toBeUndefined();
    expect(counter).toMatchObject({ used: '2', newValues: ['b'] });
  });

  it('stays exact with many digits', () => {
    const counter = new WindowCounter('99999999999999999999.1', []);
    counter.countEvent(sum, value('0.000000000000000000000000000000000000000000000000000001'));
    expect(counter.used).toBe('99999999999999999999.100000000000000000000000000000000000000000000000000001');
    expect(remainingQuantity(sum, '3.5')).toBe('6.5');
    expect(remainingQuantity(sum, '12')).toBe('0');
  });
});
