import { describe, expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { splitProportionally } from './split-proportionally.js';

const shares = (amount: string, ...over: string[]) =>
  splitProportionally(
    new Decimal(amount),
    over.map((one) => new Decimal(one)),
    'EUR',
  ).map((share) => share.toFixed(2));

describe('sharing out', () => {
  it('adds up to the last cent, also over what is given back', () => {
    expect(shares('1.00', '10', '10', '10')).toEqual(['0.33', '0.34', '0.33']);
    expect(shares('10.00', '100', '-50')).toEqual(['20.00', '-10.00']);
    expect(shares('-10.00', '50', '-100')).toEqual(['10.00', '-20.00']);
    expect(shares('3', '2', '1')).toEqual(['2.00', '1.00']);
  });

  it('is nothing over nothing', () => {
    expect(shares('0', '5', '-5')).toEqual(['0.00', '0.00']);
  });
});
