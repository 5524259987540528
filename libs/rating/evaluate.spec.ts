import { describe, expect, it } from '@jest/globals';
import { evaluatePrice } from './evaluate.js';
import type { PriceConfig } from './pricing/index.js';

const config = (more: object): PriceConfig => ({ currency: 'USD', ...more }) as unknown as PriceConfig;
const unit = { model: 'unit', unitPrice: '0.5' };
const tier = (quantity: string, amount: string, more: object = {}) => ({
  upTo: null,
  quantity,
  amount,
  ...more,
});

describe('a price that is evaluated on a quantity', () => {
  it('has an amount, with its tiers', () => {
    expect(evaluatePrice(config(unit), { quantity: '3.01' })).toStrictEqual({
      currency: 'USD',
      quantity: '3.01',
      amount: '1.51',
      unrounded: '1.505',
      unitPrice: '0.5',
      tiers: [tier('3.01', '1.505', { unitPrice: '0.5' })],
    });
    expect(evaluatePrice(config({ model: 'flat', amount: '20' }), { quantity: '3' })).toStrictEqual({
      currency: 'USD',
      quantity: '3',
      amount: '20.00',
      unrounded: '20',
      tiers: [tier('3', '20')],
    });
  });

  it('shows the effect of its bounds, for usage and for a fee', () => {
    const bounds = { minimumAmount: '5', maximumAmount: '8' };
    const seats = { model: 'license', unitPrice: '0.5' };
    for (const model of [unit, seats]) {
      const of = (quantity: string) => evaluatePrice(config({ ...model, ...bounds }), { quantity });
      expect(of('4')).toMatchObject({ amount: '5.00', unrounded: '2', upToMinimum: '3.00' });
      expect(of('4')).not.toHaveProperty('amountBeforeMaximum');
      expect(of('12')).toMatchObject({ amount: '6.00' });
      expect(of('12')).not.toHaveProperty('upToMinimum');
      expect(of('20')).toMatchObject({ amount: '8.00', unrounded: '10', amountBeforeMaximum: '10.00' });
    }
  });

  it('finds a group in a matrix, with a default price for all others', () => {
    const matrix = config({
      model: 'matrix',
      dimensions: ['region'],
      defaultUnitPrice: '1',
      cells: [{ values: ['eu'], unitPrice: '3' }],
    });
    const of = (group?: Record<string, string>) =>
      evaluatePrice(matrix, { quantity: '2', ...(group ? { group } : {}) }).amount;
    expect([of({ region: 'eu' }), of({ region: 'us' }), of()]).toEqual(['6.00', '2.00', '2.00']);
  });
});

describe('a price that is evaluated on single events', () => {
  it('uses each event if it has terms for single events', () => {
    const percentage = config({ model: 'percentage', rate: '10', fixedFee: '1' });
    expect(evaluatePrice(percentage, { eventAmounts: ['100', '50'] })).toMatchObject({
      quantity: '150',
      amount: '17.00',
      tiers: [{ quantity: '150', events: 2, amount: '17' }],
    });
    expect(() => evaluatePrice(percentage, { quantity: '150' })).toThrow(RangeError);
  });

  it('uses only their sum otherwise', () => {
    expect(evaluatePrice(config(unit), { eventAmounts: ['3', '4'] })).toMatchObject({
      quantity: '7',
      amount: '3.50',
      tiers: [{ quantity: '7' }],
    });
  });
});
