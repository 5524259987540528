import { describe, expect, it } from '@jest/globals';
import type { LimitAction } from '../limits/events.js';
import type { LimitUse } from './limit-use-reader.js';
import { checkLimits } from './limit-check.js';

const use = (limitId: string, action: LimitAction, limit: string, used: string, type = 'sum') =>
  ({
    rule: { limitId, action, limit, warnAt: [], metric: { aggregation: { type } } },
    used,
    window: { start: '2026-01-01T00:00:00.000Z', end: null },
  }) as unknown as LimitUse;
const check = (quantity: string, ...uses: LimitUse[]) => {
  const { allowed, nearest } = checkLimits(uses, quantity);
  return [allowed, nearest?.rule.limitId];
};

describe('a check of limits', () => {
  it('allows everything if no limit applies', () => {
    expect(check('1000000')).toEqual([true, undefined]);
  });

  it('names the limit that refuses the quantity', () => {
    const uses = [
      use('lim_a', 'block', '10', '9'),
      use('lim_b', 'block', '5', '4.5'),
      use('lim_c', 'notify', '1', '1'),
    ];
    expect(check('0.5', ...uses)).toEqual([true, 'lim_b']);
    expect(check('0.6', ...uses)).toEqual([false, 'lim_b']);
    expect(check('2', ...uses)).toEqual([false, 'lim_b']);
  });

  it('names the blocking limit of which the least is left, and otherwise the notifying one', () => {
    expect(check('1', use('lim_a', 'notify', '10', '10'), use('lim_b', 'block', '99', '0'))).toEqual([
      true,
      'lim_b',
    ]);
    expect(check('1', use('lim_a', 'notify', '10', '1'), use('lim_b', 'notify', '10', '2'))).toEqual([
      true,
      'lim_b',
    ]);
  });

  it('compares a maximum with the limit by itself', () => {
    expect(check('10', use('lim_a', 'block', '10', '9', 'max'))).toEqual([true, 'lim_a']);
    expect(check('11', use('lim_a', 'block', '10', '9', 'max'))).toEqual([false, 'lim_a']);
  });
});
