import { describe, expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { splitProportionally } from './split-proportionally.js';

const shares = (amount: string, ...over: string[]) =>
  splitProportionally(
    new Decimal(amount),
    over.map((one) => new Decimal(one)),
    'EUR',
  ).map((share) => share.toFixed(2));

describe('splitting an amount in proportion', () => {
  it('has shares that sum to the amount, also over negative amounts', () => {
    expect(shares('1.00', '10', '10', '10')).toEqual(['0.33', '0.34', '0.33']);
    expect(shares('10.00', '100', '-50')).toEqual(['20.00', '-10.00']);
    expect(shares('-10.00', '50', '-100')).toEqual(['10.00', '-20.00']);
    expect(shares('3', '2', '1')).toEqual(['2.00', '1.00']);
  });

  it('gives zero over a sum of zero', () => {
    expect(shares('0', '5', '-5')).toEqual(['0.00', '0.00']);
  });
});
