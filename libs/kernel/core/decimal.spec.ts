import { describe, expect, it } from '@jest/globals';
import { Decimal, decimalString, parseDecimal, sumOf } from './decimal.js';

describe('reading decimals', () => {
  it.each([
    ['0.1', '0.1'],
    ['-.5', '-0.5'],
    ['+7.', '7'],
    ['1e-8', '0.00000001'],
    ['9007199254740993', '9007199254740993'],
    ['-0', '0'],
    ['2.500', '2.5'],
  ])('reads %s as %s', (text, expected) => expect(decimalString(parseDecimal(text)!)).toBe(expected));

  it.each(['', ' 1', '1_000', '0x10', 'NaN', 'Infinity', '1e', '.', '1.2.3', '1e99999'])(
    'refuses "%s"',
    (text) => expect(parseDecimal(text)).toBeUndefined(),
  );

  it('refuses a number of a million digits in no time', () => {
    expect(parseDecimal(`${'1'.repeat(1_000_000)}e99999`)).toBeUndefined();
  });

  it('reads a number by its shortest digits', () => expect(parseDecimal(0.1)!.toFixed()).toBe('0.1'));
});

describe('calculating', () => {
  it('is exact beyond the precision of doubles', () => {
    expect(sumOf(['0.1', '0.2']).toFixed()).toBe('0.3');
    expect(sumOf(['9007199254740993', new Decimal('0.00000001')]).toFixed()).toBe(
      '9007199254740993.00000001',
    );
    expect(sumOf([]).toFixed()).toBe('0');
  });
});
