import { describe, expect, it } from '@jest/globals';
import { chargedQuantity } from './charged-quantity.js';
import { priceUsage } from './pricing/index.js';
import { Decimal } from '#libs/kernel/core';

const of = (quantity: string, includedUnits?: string) => {
  const { unitPrice, tiers } = priceUsage(
    { model: 'unit', unitPrice: '0.1', currency: 'USD', ...(includedUnits ? { includedUnits } : {}) },
    { quantity: new Decimal(quantity) },
  );
  return chargedQuantity({
    quantity,
    ...(unitPrice === undefined ? {} : { unitPrice }),
    ...(tiers ? { tiers } : {}),
  });
};

describe('the quantity that the unit price is multiplied by', () => {
  it('does not include free units', () => {
    expect(of('150', '100')).toBe('50');
    expect(of('80.5', '100')).toBe('0');
  });

  it('is the whole quantity if no unit is free, also if corrections made it negative', () => {
    expect(of('150')).toBe('150');
    expect(of('-3', '100')).toBe('-3');
  });

  it('is the whole quantity if there is no single price', () => {
    const tiers = [{ upTo: '100', quantity: '100', free: true as const, amount: '0' }];
    expect(chargedQuantity({ quantity: '150', tiers })).toBe('150');
  });
});
