import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, parseJson, sumOf } from '#libs/kernel/core';
import {
  isAdditive,
  needsEvents,
  presentPriceConfig,
  presentTier,
  parsePriceConfig,
  priceUsage,
  tallyEvents,
  type PriceConfig,
} from './index.js';

const usd = { currency: 'USD' };
const read = (input: object): PriceConfig => {
  const result = parsePriceConfig({ ...usd, ...input });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.config;
};
const errorsOf = (input: object) => {
  const result = parsePriceConfig({ ...usd, ...input });
  return result.ok ? [] : result.errors.map(({ field, message }) => `${field} ${message}`);
};
const rated = (input: object, quantity: number | string, more: object = {}) => {
  const { amount, tiers, unitPrice } = priceUsage(read(input), { quantity: new Decimal(quantity), ...more });
  return {
    amount: amount.toFixed(),
    tiers: tiers?.map((tier) => JSON.parse(JSON.stringify(presentTier(tier)))),
    unitPrice,
  };
};
const ofEvents = (input: object, ...amounts: string[]) => {
  const config = read(input);
  return rated(input, sumOf(amounts).toFixed(), { events: tallyEvents(config, amounts) });
};

const tiers = [
  { upTo: 10, unitPrice: 10, flatAmount: 2 },
  { upTo: 20, unitPrice: 5 },
  { upTo: null, unitPrice: 1, flatAmount: 3 },
];
const steps = [
  { upTo: 10, flatAmount: 50 },
  { upTo: null, flatAmount: 100 },
];
const examples = {
  unit: { model: 'unit', unitPrice: 0.01 },
  flat: { model: 'flat', amount: 20 },
  graduated: { model: 'graduated', tiers },
  volume: { model: 'volume', tiers },
  stairstep: { model: 'stairstep', tiers: steps },
  package: { model: 'package', packageSize: 10, packagePrice: 15, freeUnits: 5 },
  percentage: {
    model: 'percentage',
    rate: 1.5,
    fixedFee: 0.3,
    freeEvents: 2,
    freeAmount: 100,
    minimumPerEvent: 0.5,
    maximumPerEvent: 12,
  },
  matrix: {
    model: 'matrix',
    dimensions: ['region', 'size'],
    cells: [{ values: ['eu', 'large'], unitPrice: 0.2 }],
    defaultUnitPrice: 0.1,
  },
  license: { model: 'license', unitPrice: 9 },
};

describe('the config of each model', () => {
  it.each(Object.entries(examples))('%s is read and presented as it was given, bounds too', (_, config) => {
    const bounds = { includedUnits: 3, minimumAmount: 1, maximumAmount: 1000.5 };
    for (const given of [config, { ...config, ...bounds }]) {
      const presented = JSON.parse(JSON.stringify(presentPriceConfig(read(given))));
      expect(presented).toEqual({ ...given, ...usd });
    }
  });

  it('reads shared included units, and treats false as not shared', () => {
    const shared = { ...examples.unit, ...usd, includedUnits: 3, includedUnitsShared: true };
    expect(JSON.parse(JSON.stringify(presentPriceConfig(read(shared))))).toEqual(shared);
    expect(read({ ...shared, includedUnitsShared: false })).not.toHaveProperty('includedUnitsShared');
  });

  it.each<[object, string]>([
    [{ ...examples.graduated, tiers: [] }, 'config.tiers must be a list of 1 to 100 objects'],
    [{ model: 'volume' }, 'config.tiers is required: a list of 1 to 100 objects'],
    [{ model: 'volume', tiers: [7] }, 'config.tiers[0] must be an object'],
    [
      { model: 'volume', tiers: [{ unitPrice: 1 }] },
      'config.tiers[0].upTo is required: the last unit of the tier, or null for the open last tier',
    ],
    [
      { model: 'volume', tiers: [{ upTo: 5, unitPrice: 1 }] },
      'config.tiers[0].upTo must be null: the last tier is open',
    ],
    [
      { model: 'volume', tiers: [{ upTo: null }] },
      'config.tiers[0].unitPrice is required: a decimal number, unless there is a flatAmount',
    ],
    [
      { ...examples.graduated, tiers: [{ upTo: 0, unitPrice: 1 }, tiers[2]] },
      'config.tiers[0].upTo must be above 0',
    ],
    [
      { ...examples.graduated, tiers: [tiers[2], tiers[2]] },
      'config.tiers[0].upTo must be a number: only the last tier is open',
    ],
    [
      { ...examples.graduated, tiers: [tiers[1], tiers[1], tiers[2]] },
      'config.tiers[1].upTo must be above 20, the end of the tier before',
    ],
    [
      { ...examples.graduated, tiers: [{ ...tiers[2], unitPrice: -1 }] },
      'config.tiers[0].unitPrice must be a number that is not negative',
    ],
    [
      { ...examples.graduated, tiers: [{ ...tiers[2], price: 1 }] },
      'config.tiers[0].price is not a field of this pricing model',
    ],
    [
      { ...examples.stairstep, tiers: [{ upTo: null }] },
      'config.tiers[0].flatAmount is required: a decimal number',
    ],
    [
      { ...examples.stairstep, tiers: [{ ...steps[1], unitPrice: 1 }] },
      'config.tiers[0].unitPrice is not a field of this pricing model',
    ],
    [{ ...examples.package, packageSize: 0 }, 'config.packageSize must be above 0'],
    [{ ...examples.package, packagePrice: undefined }, 'config.packagePrice is required: a decimal number'],
    [{ ...examples.package, freeUnits: '1' }, 'config.freeUnits must be a number'],
    [
      { ...examples.percentage, freeEvents: 1.5 },
      'config.freeEvents must be a whole number that is not negative',
    ],
    [
      { ...examples.percentage, maximumPerEvent: 0.1 },
      'config.maximumPerEvent must not be below minimumPerEvent',
    ],
    [
      { ...examples.matrix, dimensions: [] },
      'config.dimensions must be a list of 1 to 2 texts of 1 to 255 characters',
    ],
    [
      { ...examples.matrix, dimensions: ['a', 'b', 'c'], cells: [] },
      'config.dimensions must be a list of 1 to 2 texts of 1 to 255 characters',
    ],
    [{ ...examples.matrix, dimensions: ['a', 'a'] }, 'config.dimensions must not repeat a property'],
    [
      { ...examples.matrix, cells: [{ values: ['eu'], unitPrice: 1 }] },
      'config.cells[0].values must be a list of 2 texts of 1 to 255 characters',
    ],
    [
      { ...examples.matrix, cells: [...examples.matrix.cells, ...examples.matrix.cells] },
      'config.cells[1].values must not repeat those of another cell',
    ],
    [
      { ...examples.matrix, defaultUnitPrice: undefined },
      'config.defaultUnitPrice is required: a decimal number',
    ],
    [
      { ...examples.unit, maximumAmount: 1, minimumAmount: 2 },
      'config.maximumAmount must not be below minimumAmount',
    ],
    [
      { ...examples.unit, minimumAmount: 10.005 },
      'config.minimumAmount must not have a fraction of the smallest unit of USD; give at most 2 digits after the point',
    ],
    [
      { ...examples.unit, maximumAmount: 0.5, currency: 'JPY' },
      'config.maximumAmount must not have a fraction of the smallest unit of JPY; give a whole number',
    ],
    [
      { ...examples.unit, includedUnits: 1, includedUnitsShared: 'yes' },
      'config.includedUnitsShared must be true or false',
    ],
    [
      { ...examples.unit, includedUnitsShared: true },
      'config.includedUnitsShared must be absent without includedUnits',
    ],
    [
      { model: 'percentage', rate: 1, fixedFee: 0.5, includedUnits: 1, includedUnitsShared: true },
      'config.includedUnitsShared must be left out of a percentage with terms for single events, whose included units are used up event by event in each group',
    ],
    [{ ...examples.flat, includedUnits: -1 }, 'config.includedUnits must be a number that is not negative'],
  ])('%j: %s', (config, error) => {
    expect(errorsOf(config)).toContain(error);
  });

  const cell = (...values: unknown[]) => ({ ...examples.matrix, cells: [{ values, unitPrice: 1 }] });
  const noText = 'config.cells[0].values must be a list of 2 texts of 1 to 255 characters';
  const upTo = (...bounds: unknown[]) => ({
    ...examples.graduated,
    tiers: bounds.map((bound) => ({ upTo: bound, unitPrice: 1 })),
  });
  it.each<[object, string[]]>([
    [{ ...examples.unit, minimumAmount: 'x', maximumAmount: 5 }, ['config.minimumAmount must be a number']],
    [
      { ...examples.unit, minimumAmount: -7, maximumAmount: 5 },
      ['config.minimumAmount must be a number that is not negative'],
    ],
    [
      { ...examples.unit, minimumAmount: 1e15, maximumAmount: 5 },
      ['config.minimumAmount must have at most 15 digits before and 15 after the decimal point'],
    ],
    [
      { ...examples.unit, maximumAmount: 5, currency: ['USD'] },
      ['config.currency must be a three-letter ISO 4217 code in upper case, such as "USD"'],
    ],
    [
      { ...examples.package, packagePrice: -1, packageSize: 0 },
      ['config.packageSize must be above 0', 'config.packagePrice must be a number that is not negative'],
    ],
    [
      { ...examples.percentage, freeEvents: -1 },
      ['config.freeEvents must be a whole number that is not negative'],
    ],
    [
      upTo(...Array.from({ length: 100 }, (_, i) => i + 1)),
      ['config.tiers[99].upTo must be null: the last tier is open'],
    ],
    [upTo(...Array.from({ length: 99 }, (_, i) => i + 1), null), []],
    [
      upTo(...Array.from({ length: 100 }, (_, i) => i + 1), null),
      ['config.tiers must be a list of 1 to 100 objects'],
    ],
    [upTo(5, 'x', null), ['config.tiers[1].upTo must be a number']],
    [upTo(5, 10, 'x'), ['config.tiers[2].upTo must be a number']],
    [
      { ...examples.graduated, tiers: [tiers[0], { upTo: 5, unitPrice: 'x' }, tiers[2]] },
      [
        'config.tiers[1].unitPrice must be a number',
        'config.tiers[1].upTo must be above 10, the end of the tier before',
      ],
    ],
    [{ model: 'volume', tiers: [{ upTo: null, flatAmount: 5 }] }, []],
    [{ model: 'volume', tiers: [{ upTo: null, unitPrice: 5 }] }, []],
    [cell('eu', 'x'.repeat(255)), []],
    [cell('eu', 'x'.repeat(256)), [noText]],
    [cell('eu', ''), [noText]],
    [cell('eu', null), [noText]],
    [cell('eu', {}), [noText]],
    [cell('eu', ['large']), [noText]],
    [cell('eu', 'large\u0000'), [noText]],
    [cell('', 'large'), [noText]],
    [
      { ...examples.matrix, cells: [{ unitPrice: 1 }, { unitPrice: 1 }] },
      [0, 1].map((i) => `config.cells[${i}].values is required: a list of 2 texts of 1 to 255 characters`),
    ],
    [
      { ...examples.matrix, dimensions: ['region'], cells: [{ values: [''], unitPrice: 1 }] },
      ['config.cells[0].values must be a list of 1 text of 1 to 255 characters'],
    ],
  ])('%j has exactly the errors %j', (config, errors) => {
    expect(errorsOf(config)).toEqual(errors);
  });

  it('has no field that was not given', () => {
    const config = { ...usd, model: 'percentage', rate: '1' };
    expect(parsePriceConfig({ ...config, rate: 1 })).toStrictEqual({ ok: true, config });
    expect(presentPriceConfig(read({ ...config, rate: 1 }))).toStrictEqual({
      ...config,
      rate: expect.anything(),
    });
    expect(presentTier({ upTo: null, quantity: '5', amount: '2' })).toStrictEqual({
      upTo: null,
      quantity: expect.anything(),
      amount: expect.anything(),
    });
  });

  it('names the errors of all tiers at once', () => {
    const wrong = [
      { upTo: 'x', unitPrice: 1 },
      { upTo: null, unitPrice: 'y' },
    ];
    expect(errorsOf({ model: 'volume', tiers: wrong })).toEqual([
      'config.tiers[0].upTo must be a number',
      'config.tiers[1].unitPrice must be a number',
    ]);
  });

  it('names only the dimensions of a matrix if they are wrong, because the values of a cell follow from them', () => {
    expect(errorsOf({ ...examples.matrix, dimensions: [] })).toEqual([
      'config.dimensions must be a list of 1 to 2 texts of 1 to 255 characters',
    ]);
    expect(errorsOf({ ...examples.matrix, dimensions: undefined })).toEqual([
      'config.dimensions is required: a list of 1 to 2 texts of 1 to 255 characters',
    ]);
  });

  it('accepts numbers and booleans as values of a matrix, and converts them to strings', () => {
    const cells = [{ values: [1.0, true], unitPrice: 0.2 }];
    expect(read({ ...examples.matrix, cells })).toMatchObject({ cells: [{ values: ['1', 'true'] }] });
  });

  it('accepts null for an optional field', () => {
    expect(read({ ...examples.package, freeUnits: null, minimumAmount: null })).not.toHaveProperty(
      'freeUnits',
    );
  });

  it('keeps digits that a double would lose, also in tiers', () => {
    const text = '{"model":"volume","tiers":[{"upTo":null,"unitPrice":0.000000000000001}],"currency":"USD"}';
    expect(JSON.stringify(presentPriceConfig(read(parseJson(text) as object)))).toBe(text);
  });
});

describe('graduated', () => {
  it('prices the units of each tier, and lists the tiers', () => {
    expect(rated(examples.graduated, 21.5)).toEqual({
      amount: '156.5',
      tiers: [
        { upTo: 10, quantity: 10, unitPrice: 10, flatAmount: 2, amount: 102 },
        { upTo: 20, quantity: 10, unitPrice: 5, amount: 50 },
        { upTo: null, quantity: 1.5, unitPrice: 1, flatAmount: 3, amount: 4.5 },
      ],
      unitPrice: undefined,
    });
  });

  it('has a base fee in the first tier, also if corrections exceed the usage', () => {
    for (const quantity of [0, -5]) expect(rated(examples.graduated, quantity).amount).toBe('2');
  });
});

describe('volume and stairstep', () => {
  it('use the one tier in which the quantity ends', () => {
    expect(rated(examples.volume, 10)).toMatchObject({ amount: '102', tiers: [{ upTo: 10, quantity: 10 }] });
    expect(rated(examples.volume, '10.000000000000000001').amount).toBe('50.000000000000000005');
    expect(rated(examples.stairstep, 10)).toMatchObject({
      amount: '50',
      tiers: [{ quantity: 10, flatAmount: 50 }],
    });
    expect(rated(examples.stairstep, 11).amount).toBe('100');
  });
});

describe('package', () => {
  it('deducts free units, and counts every started package', () => {
    expect(rated(examples.package, 26)).toEqual({
      amount: '45',
      tiers: [
        { upTo: 5, quantity: 5, free: true, amount: 0 },
        { upTo: null, quantity: 21, packages: 3, packageSize: 10, packagePrice: 15, amount: 45 },
      ],
      unitPrice: undefined,
    });
    expect(rated(examples.package, 25).amount).toBe('30');
    expect(rated(examples.package, '25.000000000000000000000000000001').amount).toBe('45');
    expect(rated(examples.package, 5).amount).toBe('0');
  });
});

describe('percentage', () => {
  it('of a sum needs no single events', () => {
    const config = { model: 'percentage', rate: 1.5, freeAmount: 100 };
    expect(needsEvents(read(config))).toBe(false);
    expect(rated(config, 300)).toMatchObject({
      amount: '3',
      tiers: [
        { free: true, quantity: 100 },
        { quantity: 200, rate: 1.5, amount: 3 },
      ],
    });
    expect(rated(config, -300).amount).toBe('0');
  });

  it.each([{ fixedFee: 1 }, { freeEvents: 1 }, { minimumPerEvent: 1 }, { maximumPerEvent: 1 }])(
    'needs events, and cannot be billed in parts, with %j',
    (more) => {
      const config = read({ model: 'percentage', rate: 2, ...more });
      expect([needsEvents(config), isAdditive(config)]).toEqual([true, false]);
    },
  );

  it('cannot be billed in parts if it has a free amount', () => {
    expect(isAdditive(read({ model: 'percentage', rate: 2, freeAmount: 5 }))).toBe(false);
  });

  it('lists only existing units as free', () => {
    const capped = { model: 'percentage', rate: 10, maximumPerEvent: 5 };
    expect(ofEvents(capped, '30', '100').tiers).toEqual([
      { upTo: null, quantity: 130, rate: 10, events: 2, amount: 8 },
    ]);
    expect(ofEvents({ ...capped, includedUnits: 20 }, '30').tiers).toEqual([
      { upTo: null, quantity: 20, free: true, amount: 0 },
      { upTo: null, quantity: 10, rate: 10, events: 1, amount: 1 },
    ]);
    expect(ofEvents({ ...capped, freeEvents: 1 }, '30').tiers).toEqual([
      { upTo: null, quantity: 30, events: 1, free: true, amount: 0 },
      { upTo: null, quantity: 0, rate: 10, events: 0, amount: 0 },
    ]);
    // An event with amount zero is free, and uses up one free event.
    expect(ofEvents({ ...capped, freeEvents: 1 }, '0').tiers).toMatchObject([
      { quantity: 0, events: 1, free: true },
      { events: 0 },
    ]);
    // A part of an event uses up the free amount, but does not count as a free event.
    expect(ofEvents({ ...capped, freeAmount: 20 }, '30').tiers).toEqual([
      { upTo: null, quantity: 20, events: 0, free: true, amount: 0 },
      { upTo: null, quantity: 10, rate: 10, events: 1, amount: 1 },
    ]);
  });

  it('refuses a sum if it has terms for single events', () => {
    expect(needsEvents(read(examples.percentage))).toBe(true);
    expect(() => rated(examples.percentage, 300)).toThrow(RangeError);
  });

  it('lists the number of free events, and the price of the others', () => {
    // 60 is free; 60 crosses the 100 and pays on 20: 1.5 % + 0.30 = 0.60; 1,000 pays the maximum, 1 the minimum.
    expect(ofEvents(examples.percentage, '60', '60', '1000', '1')).toMatchObject({
      amount: '13.1',
      tiers: [
        { free: true, events: 1, quantity: 100 },
        { events: 3, quantity: 1021, rate: 1.5, fixedFee: 0.3, amount: 13.1 },
      ],
    });
  });

  it('deducts included units first, and treats a zero allowance as none', () => {
    const config = {
      model: 'percentage',
      rate: 10,
      fixedFee: 1,
      includedUnits: 50,
      freeEvents: 0,
      freeAmount: 0,
    };
    expect(ofEvents(config, '30', '30').amount).toBe('2');
  });

  it('gives back the percentage of a correction, but no fee', () => {
    expect(ofEvents({ model: 'percentage', rate: 10, fixedFee: 1 }, '100', '-50').amount).toBe('6');
  });

  it('has the same result for any batches of events', () => {
    const events = fc.array(
      fc.integer({ min: -100, max: 30_000 }).map((cents) => new Decimal(cents).div(100)),
    );
    const config = read({ ...examples.percentage, includedUnits: 20 });
    fc.assert(
      fc.property(events, fc.nat(), (amounts, at) => {
        const cut = amounts.length === 0 ? 0 : at % amounts.length;
        const first = tallyEvents(config, amounts.slice(0, cut));
        expect(tallyEvents(config, amounts.slice(cut), first)).toEqual(tallyEvents(config, amounts));
      }),
    );
  });
});

describe('matrix', () => {
  it('has a price for each combination, and a default price for the others', () => {
    const priced = (group?: Record<string, string>) => rated(examples.matrix, 10, { group }).amount;
    expect(priced({ region: 'eu', size: 'large', zone: '1' })).toBe('2');
    expect(priced({ region: 'eu', size: 'small' })).toBe('1');
    expect(priced({ region: 'eu' })).toBe('1');
    expect(rated(examples.matrix, 10, { group: {} }).unitPrice).toBe('0.1');
  });
});

describe('included units', () => {
  it('are deducted before the model prices the rest', () => {
    expect(rated({ ...examples.unit, includedUnits: 100 }, 150)).toEqual({
      amount: '0.5',
      unitPrice: '0.01',
      tiers: [
        { upTo: 100, quantity: 100, free: true, amount: 0 },
        { upTo: null, quantity: 50, unitPrice: 0.01, amount: 0.5 },
      ],
    });
    expect(rated({ ...examples.graduated, includedUnits: 5 }, 12).amount).toBe('72');
    expect(rated({ ...examples.package, includedUnits: 10 }, 26).amount).toBe('30');
    expect(rated({ ...examples.unit, includedUnits: 100 }, 40).amount).toBe('0');
  });
});

describe('any quantity', () => {
  const quantities = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 6 }))
    .map(([digits, scale]) => new Decimal(digits.toString()).div(new Decimal(10).pow(scale)));
  const tiered = [examples.graduated, examples.volume, examples.stairstep, examples.package].map(read);

  it('is divided completely into its tiers, and costs their sum', () => {
    fc.assert(
      fc.property(fc.constantFrom(...tiered), fc.nat(50), quantities, (config, included, quantity) => {
        const priced = priceUsage({ ...config, includedUnits: String(included) }, { quantity });
        expect(sumOf(priced.tiers!.map((tier) => tier.quantity)).eq(quantity)).toBe(true);
        expect(sumOf(priced.tiers!.map((tier) => tier.amount)).eq(priced.amount)).toBe(true);
      }),
    );
  });

  it('costs no more if it is smaller, by every model except volume', () => {
    const models = [
      examples.unit,
      examples.graduated,
      examples.stairstep,
      examples.package,
      examples.license,
    ];
    fc.assert(
      fc.property(fc.constantFrom(...models.map(read)), quantities, quantities, (config, a, b) => {
        const [less, more] = a.lte(b) ? [a, b] : [b, a];
        expect(
          priceUsage(config, { quantity: less }).amount.lte(priceUsage(config, { quantity: more }).amount),
        ).toBe(true);
      }),
    );
  });

  it('costs the same in parts if the config is additive', () => {
    const additive = Object.values(examples).map(read).filter(isAdditive);
    expect(additive.map(({ model }) => model)).toEqual(['unit', 'matrix', 'license']);
    fc.assert(
      fc.property(fc.constantFrom(...additive), quantities, quantities, (config, a, b) => {
        const parts = priceUsage(config, { quantity: a }).amount.plus(
          priceUsage(config, { quantity: b }).amount,
        );
        expect(priceUsage(config, { quantity: a.plus(b) }).amount.eq(parts)).toBe(true);
      }),
    );
    expect(isAdditive(read({ ...examples.unit, includedUnits: 1 }))).toBe(false);
    expect(isAdditive(read({ model: 'percentage', rate: 2 }))).toBe(true);
  });
});
