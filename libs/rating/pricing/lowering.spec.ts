import { describe, expect, it } from '@jest/globals';
import { canLowerPrice, isDiscount } from './lowering.js';
import type { PriceConfig } from './index.js';

const terms = (config: object, more: object = {}) => ({
  config: { currency: 'USD', ...config } as PriceConfig,
  cadence: 'monthly' as const,
  timing: 'in_advance' as const,
  metricId: null,
  ...more,
});
const unit = (unitPrice: string, more: object = {}) => terms({ model: 'unit', unitPrice, ...more });
const tiered = (...prices: string[]) =>
  terms({
    model: 'graduated',
    tiers: prices.map((unitPrice, i) => ({ upTo: i === prices.length - 1 ? null : `${i + 1}0`, unitPrice })),
  });
const matrix = (eu: string, other: string) =>
  terms({
    model: 'matrix',
    dimensions: ['region'],
    defaultUnitPrice: other,
    cells: [{ values: ['eu'], unitPrice: eu }],
  });

describe('a change of a price', () => {
  it('lowers it if an amount falls, in any tier or cell', () => {
    expect(canLowerPrice(unit('10'), unit('9.99'))).toBe(true);
    expect(canLowerPrice(unit('10'), unit('10.0'))).toBe(false);
    expect(canLowerPrice(unit('10'), unit('12'))).toBe(false);
    expect(canLowerPrice(tiered('3', '2', '1'), tiered('4', '1.5', '1'))).toBe(true);
    expect(canLowerPrice(tiered('3', '2', '1'), tiered('4', '2', '1'))).toBe(false);
    expect(canLowerPrice(tiered('3', '2', '1'), tiered('3', '2'))).toBe(true);
    expect(canLowerPrice(matrix('2', '3'), matrix('1', '3'))).toBe(true);
    expect(canLowerPrice(matrix('2', '3'), matrix('2', '4'))).toBe(false);
  });

  it('lowers it if more is free, or if less can be charged', () => {
    expect(canLowerPrice(unit('1'), unit('1', { includedUnits: '10' }))).toBe(true);
    expect(canLowerPrice(unit('1', { includedUnits: '10' }), unit('1'))).toBe(false);
    expect(canLowerPrice(unit('1'), unit('1', { maximumAmount: '100' }))).toBe(true);
    expect(canLowerPrice(unit('1', { maximumAmount: '100' }), unit('1'))).toBe(false);
    expect(canLowerPrice(unit('1', { minimumAmount: '5' }), unit('1'))).toBe(true);
    const shared = unit('1', { includedUnits: '10', includedUnitsShared: true });
    expect(canLowerPrice(shared, unit('1', { includedUnits: '10' }))).toBe(true);
    expect(canLowerPrice(unit('1', { includedUnits: '10' }), shared)).toBe(false);
  });

  it('counts as lowering if the amounts cannot be compared', () => {
    expect(canLowerPrice(unit('1'), terms({ model: 'flat', amount: '100' }))).toBe(true);
    expect(canLowerPrice(unit('1'), { ...unit('1'), cadence: 'annual' })).toBe(true);
    expect(canLowerPrice(unit('1'), { ...unit('1'), timing: 'in_arrears' })).toBe(true);
    expect(canLowerPrice(unit('1'), { ...unit('1'), metricId: 'met_1' })).toBe(true);
  });

  it('is a discount below zero', () => {
    expect(isDiscount(terms({ model: 'flat', amount: '-6' }).config)).toBe(true);
    expect(isDiscount(unit('6').config)).toBe(false);
  });
});
