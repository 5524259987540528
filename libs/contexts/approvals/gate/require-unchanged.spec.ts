import { describe, expect, it } from '@jest/globals';
import { requireUnchanged } from './require-unchanged.js';

const approved = {
  amount: '100',
  currency: 'USD',
  effectiveAt: '2026-02-01T00:00:00.000Z',
  terms: [
    { name: 'plan', value: 'Pro' },
    { name: 'credit', value: 'balance' },
  ],
};

describe('an approved action', () => {
  it('may run if it is what was shown, or changes nothing', () => {
    expect(() => requireUnchanged(approved, { ...approved })).not.toThrow();
    expect(() =>
      requireUnchanged(approved, { ...approved, terms: approved.terms.toReversed() }),
    ).not.toThrow();
    expect(() => requireUnchanged(approved, undefined)).not.toThrow();
  });

  it.each([
    ['another amount', { amount: '90' }, 'the amount was 100 USD and is now 90 USD'],
    ['another currency', { currency: 'EUR' }, 'the amount was 100 USD and is now 100 EUR'],
    [
      'no time',
      { effectiveAt: null },
      'the time of the effect was 2026-02-01T00:00:00.000Z and is now at once',
    ],
    [
      'another term',
      { terms: [{ name: 'plan', value: 'Max' }, approved.terms[1]!] },
      'plan was Pro and is now Max',
    ],
    ['a term less', { terms: [approved.terms[0]!] }, 'credit was balance and is now none'],
    ['a term more', { terms: [...approved.terms, { name: 'x', value: 'y' }] }, 'x was none and is now y'],
  ])('is refused with %s', (_, change, message) => {
    expect(() => requireUnchanged(approved, { ...approved, ...change })).toThrow(message);
  });

  it('is compared by amount and time alone if its request has no terms', () => {
    const older = { ...approved, terms: [] };
    expect(() => requireUnchanged(older, approved)).not.toThrow();
    expect(() => requireUnchanged(older, { ...approved, amount: null })).toThrow('is now none');
  });
});
