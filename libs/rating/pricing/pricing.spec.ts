import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, ExactNumber, parseJson } from '#libs/kernel/core';
import { presentPriceConfig, parsePriceConfig, priceUsage } from './index.js';

const errorsOf = (input: unknown) => {
  const result = parsePriceConfig(input);
  return result.ok ? [] : result.errors;
};

describe('priceConfig', () => {
  it('reads a unit price', () => {
    expect(parsePriceConfig({ model: 'unit', unitPrice: 0.0000025, currency: 'USD' })).toEqual({
      ok: true,
      config: { model: 'unit', unitPrice: '0.0000025', currency: 'USD' },
    });
  });

  it('reads a flat amount', () => {
    expect(parsePriceConfig({ model: 'flat', amount: 20, currency: 'JPY' })).toEqual({
      ok: true,
      config: { model: 'flat', amount: '20', currency: 'JPY' },
    });
  });

  it('keeps digits that a double would lose', () => {
    const config = parseJson('{"model":"unit","unitPrice":123456789.012345678901234,"currency":"USD"}');
    expect(parsePriceConfig(config)).toEqual({
      ok: true,
      config: { model: 'unit', unitPrice: '123456789.012345678901234', currency: 'USD' },
    });
  });

  it.each([
    [{ model: 'unit', currency: 'USD' }, 'config.unitPrice', /required/],
    [{ model: 'unit', unitPrice: '5', currency: 'USD' }, 'config.unitPrice', /must be a number/],
    [{ model: 'unit', unitPrice: null, currency: 'USD' }, 'config.unitPrice', /must be a number/],
    [{ model: 'unit', unitPrice: -0.01, currency: 'USD' }, 'config.unitPrice', /not negative/],
    [{ model: 'unit', unitPrice: Number.NaN, currency: 'USD' }, 'config.unitPrice', /not negative/],
    [{ model: 'unit', unitPrice: 1e15, currency: 'USD' }, 'config.unitPrice', /at most 15 digits/],
    [{ model: 'unit', unitPrice: 1e-16, currency: 'USD' }, 'config.unitPrice', /at most 15 digits/],
    [
      { model: 'unit', unitPrice: new ExactNumber('1e9999'), currency: 'USD' },
      'config.unitPrice',
      /at most 15 digits/,
    ],
    [{ model: 'flat', amount: true, currency: 'USD' }, 'config.amount', /must be a number/],
    [{ model: 'flat', amount: 1 }, 'config.currency', /required/],
    [{ model: 'flat', amount: 1, currency: 'usd' }, 'config.currency', /upper case/],
    [{ model: 'flat', amount: 1, currency: 'XXX' }, 'config.currency', /ISO 4217/],
    [{ model: 'flat', amount: 1, currency: 'USD', unitPrice: 1 }, 'config.unitPrice', /not a field/],
    [{ currency: 'USD' }, 'config.model', /one of unit, flat/],
    [{ model: 7 }, 'config.model', /one of unit, flat/],
    [[], 'config', /must be an object/],
    ['unit', 'config', /must be an object/],
    [null, 'config', /must be an object/],
  ])('refuses %j', (input, field, message) => {
    expect(errorsOf(input)).toEqual([{ field, message: expect.stringMatching(message) }]);
  });

  it('names every wrong field at once', () => {
    expect(
      errorsOf({ model: 'unit', unitPrice: 'x', currency: 1, tiers: [] }).map((error) => error.field),
    ).toEqual(['config.currency', 'config.unitPrice', 'config.tiers']);
  });

  it.each(['gradual', 'toString', '__proto__'])('knows no model %s, and says which there are', (model) => {
    expect(errorsOf({ model, currency: 'USD' })).toEqual([
      { field: 'config.model', message: expect.stringMatching(/^must be one of unit, flat, graduated, /) },
    ]);
  });

  it('is undone by presentPriceConfig, to the digit', () => {
    const text = '{"model":"unit","unitPrice":0.000000000000001,"currency":"USD"}';
    const result = parsePriceConfig(parseJson(text));
    expect(result.ok && JSON.stringify(presentPriceConfig(result.config))).toBe(text);
  });
});

describe('rate', () => {
  it('multiplies a unit price at full precision', () => {
    const rated = priceUsage(
      { model: 'unit', unitPrice: '0.0000025', currency: 'USD' },
      { quantity: new Decimal('18059974') },
    );
    expect(rated.amount.toFixed()).toBe('45.149935');
    expect(rated.unitPrice).toBe('0.0000025');
  });

  it('returns the flat amount for any quantity', () => {
    const config = { model: 'flat', amount: '99', currency: 'USD' } as const;
    expect(priceUsage(config, { quantity: new Decimal(0) }).amount.toFixed()).toBe('99');
    expect(priceUsage(config, { quantity: new Decimal(160) }).amount.toFixed()).toBe('99');
  });

  it('is exact for the longest prices and quantities', () => {
    const nines = '9'.repeat(15);
    const rated = priceUsage(
      { model: 'unit', unitPrice: `${nines}.${nines}`, currency: 'USD' },
      { quantity: new Decimal(`${nines}.${nines}`) },
    );
    expect(rated.amount.toFixed()).toBe(`${'9'.repeat(29)}8.${'0'.repeat(29)}1`);
  });

  it('adds up: a unit price of two quantities is the sum of the two', () => {
    const decimals = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.integer({ min: 0, max: 15 }))
      .map(([digits, scale]) => new Decimal(digits.toString()).div(new Decimal(10).pow(scale)));
    fc.assert(
      fc.property(decimals, decimals, decimals, (price, a, b) => {
        const config = { model: 'unit', unitPrice: price.toFixed(), currency: 'USD' } as const;
        const apart = priceUsage(config, { quantity: a }).amount.plus(
          priceUsage(config, { quantity: b }).amount,
        );
        expect(priceUsage(config, { quantity: a.plus(b) }).amount.toFixed()).toBe(apart.toFixed());
      }),
    );
  });
});
