import { describe, expect, it } from '@jest/globals';
import { InvalidRequest, parseJson } from '#libs/kernel/core';
import { presentMinimumCommitment } from '#libs/rating';
import { readMinimumCommitment, requireCommitmentIntervalFits } from './minimum-commitment.js';

const errorsOf = (act: () => unknown): string[] => {
  try {
    act();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return error.message.split('; ');
  }
};

describe('the minimum commitment of a plan', () => {
  it.each<[string, unknown]>([
    ['100.5', '100.5'],
    ['{"amount": 1200.10, "interval": "annual"}', { amount: '1200.1', interval: 'annual' }],
    ['null', null],
  ])('is read and shown as it was given: %s', (text, read) => {
    expect(readMinimumCommitment(parseJson(text))).toEqual(read);
    const shown = JSON.stringify(presentMinimumCommitment(readMinimumCommitment(parseJson(text))));
    expect(JSON.parse(shown)).toEqual(JSON.parse(text));
  });

  it.each<[string, RegExp]>([
    ['0', /^minimumCommitment must be a number above 0/],
    ['-5', /^minimumCommitment must be a number above 0/],
    ['"100"', /^minimumCommitment must be a number above 0/],
    ['[100]', /^minimumCommitment must be a number above 0/],
    ['{"interval": "annual"}', /^minimumCommitment.amount is required: a number above 0/],
    ['{"amount": 0, "interval": "annual"}', /^minimumCommitment.amount must be a number above 0/],
    ['{"amount": 5}', /^minimumCommitment.interval is required: one of monthly, quarterly, annual$/],
    ['{"amount": 5, "interval": "one_time"}', /^minimumCommitment.interval must be one of/],
    ['{"amount": 5, "interval": "toString"}', /^minimumCommitment.interval must be one of/],
    [
      '{"amount": 5, "interval": "annual", "from": 1}',
      /^minimumCommitment.from is not a field of this request$/,
    ],
  ])('is refused, by the field that is wrong: %s', (text, error) => {
    expect(errorsOf(() => readMinimumCommitment(parseJson(text)))[0]).toMatch(error);
  });

  it('is for an interval that is not shorter than the billing interval', () => {
    const quarterly = { amount: '5', interval: 'quarterly' } as const;
    requireCommitmentIntervalFits(null, 'annual');
    requireCommitmentIntervalFits('5', 'annual');
    requireCommitmentIntervalFits(quarterly, 'monthly');
    requireCommitmentIntervalFits(quarterly, 'quarterly');
    expect(errorsOf(() => requireCommitmentIntervalFits(quarterly, 'annual'))).toEqual([
      'minimumCommitment.interval must not be shorter than the billing interval, which the prices make annual',
    ]);
  });
});
