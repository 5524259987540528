import { describe, expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { quantityAndPrice, type LineQuantity } from './e-line.js';

const written = (counted: LineQuantity, amount: string) =>
  quantityAndPrice(counted, new Decimal(amount), 'EUR');

describe('a line of an e-invoice', () => {
  it('has its price per unit if it has one', () => {
    expect(written({ quantity: '18059974', unitPrice: '0.0000025' }, '45.15')).toEqual({
      quantity: '18059974',
      price: '0.25',
      baseQuantity: '100000',
    });
    expect(written({ quantity: '1000', unitPrice: '0.1' }, '100')).toEqual({
      quantity: '1000',
      price: '0.10',
      baseQuantity: '1',
    });
  });

  it('has its amount as the price of the whole quantity if it has no unit price, or if only a share is charged', () => {
    const whole = { quantity: '1100', price: '115.00', baseQuantity: '1100' };
    expect(written({ quantity: '1100' }, '115')).toEqual(whole);
    expect(written({ quantity: '1100', unitPrice: '0.2' }, '115')).toEqual(whole);
  });

  it('gives back a quantity, since no price is below zero', () => {
    expect(written({ quantity: '1' }, '-5')).toEqual({ quantity: '-1', price: '5.00', baseQuantity: '1' });
    expect(written({ quantity: '-3', unitPrice: '2' }, '-6')).toEqual({
      quantity: '-3',
      price: '2.00',
      baseQuantity: '1',
    });
  });

  it('has a quantity of one if nothing was counted', () => {
    expect(written({ quantity: '0' }, '7')).toEqual({ quantity: '1', price: '7.00', baseQuantity: '1' });
    expect(written({ quantity: '0', unitPrice: '2' }, '0')).toEqual({
      quantity: '0',
      price: '2.00',
      baseQuantity: '1',
    });
  });
});
