import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { Aggregation } from '#libs/usage';
import type { Metric } from '../metrics/metric.js';
import { type PriceDetails, type PriceEvent } from './events.js';
import { readPriceDetails, readPriceChanges } from './price-input.js';
import { checkMetricOfPrice, configDependsOnMetric } from './price-rules.js';
import { findPriceOfMetric, priceDecider, requirePrice } from './price.js';

const priceId = 'price_1';
const at = '2026-01-01T00:00:00.000Z';
const later = '2026-02-01T00:00:00.000Z';
const usage: PriceDetails = {
  name: 'Requests',
  description: null,
  config: { model: 'unit', unitPrice: '0.01', currency: 'USD' },
  metricId: 'met_1',
  cadence: 'usage_based',
  timing: 'in_arrears',
  licenseTypeId: null,
};
const fee: PriceDetails = {
  ...usage,
  config: { model: 'flat', amount: '20', currency: 'USD' },
  metricId: null,
  cadence: 'monthly',
  timing: 'in_advance',
};
const seat = { model: 'license', unitPrice: '9', currency: 'USD' } as const;
const steps = { model: 'stairstep', tiers: [{ upTo: null, flatAmount: '50' }], currency: 'USD' } as const;
const matrix = {
  model: 'matrix',
  dimensions: ['region', 'size'],
  cells: [{ values: ['eu', 'large'], unitPrice: '2' }],
  defaultUnitPrice: '1',
  currency: 'USD',
} as const;
const createdAs = (details: PriceDetails): PriceEvent => ({
  type: 'PriceCreated',
  data: { priceId, at, ...details },
});
const created = createdAs(usage);
const overtaken: PriceEvent = { type: 'PriceChangeOvertaken', data: { priceId } };
const deleted: PriceEvent = { type: 'PriceDeleted', data: { priceId } };
const referenced = (planRevision: number): PriceEvent => ({
  type: 'PriceReferenced',
  data: { priceId, planId: 'plan_1', planRevision },
});
const updated = (changes: Partial<PriceDetails>, before = usage): PriceEvent => ({
  type: 'PriceUpdated',
  data: { priceId, version: 2, at: later, ...before, ...changes },
});

const { given } = decide(priceDecider);
const create = (details: PriceDetails, revision = 0) =>
  ({ type: 'CreatePrice', at, priceId, revision, details }) as const;
const update = (changes: Partial<PriceDetails>, revision?: number) =>
  ({ type: 'UpdatePrice', at: later, priceId, revision, changes }) as const;

describe('creating a price', () => {
  it('records its first version', () => {
    given().when(create(usage)).then(created);
    expect(given(created).state()).toEqual({
      revision: 1,
      references: {},
      price: { priceId, createdAt: at, deleted: false, versions: [{ version: 1, createdAt: at, ...usage }] },
    });
  });

  it('does nothing a second time', () => {
    given(created).when(create(usage)).then();
  });

  it('is refused when it was overtaken, and succeeds when it starts again', () => {
    given(overtaken).when(create(usage)).refused('concurrent_modification');
    given(overtaken).when(create(usage, 1)).then(created);
  });

  it.each<[string, Partial<PriceDetails>]>([
    ['a fee, monthly and in advance', fee],
    ['a fee by unit price, which counts as one unit', { metricId: null, cadence: 'monthly' }],
    ['a one-time fee', { ...fee, cadence: 'one_time' }],
    ['usage by the quarter', { cadence: 'quarterly' }],
    ['seats', { ...fee, config: seat, licenseTypeId: 'editor' }],
    ['a fee by steps of the quantity', { ...fee, config: steps }],
  ])('accepts %s', (_, changes) => {
    const details = { ...usage, ...changes };
    given().when(create(details)).then(createdAs(details));
  });

  it.each<[string, Partial<PriceDetails>, RegExp]>([
    ['usage without a metric', { metricId: null }, /^metricId is required for the cadence usage_based/],
    ['a flat amount for a metric', { config: fee.config }, /^metricId must be left out: the model flat/],
    ['usage once', { cadence: 'one_time' }, /^cadence must not be one_time/],
    ['usage in advance', { timing: 'in_advance' }, /^timing must be in_arrears/],
    [
      'a matrix without a metric',
      { config: matrix, metricId: null },
      /^metricId is required for the model matrix/,
    ],
    [
      'seats of a metric',
      { config: seat, licenseTypeId: 'editor' },
      /^metricId must be left out: the model license/,
    ],
    [
      'shared units of a fee',
      {
        ...fee,
        config: { ...steps, includedUnits: '1', includedUnitsShared: true },
      },
      /^config.includedUnitsShared must be left out of a fee/,
    ],
    ['seats of nothing', { ...fee, config: seat }, /^licenseTypeId is required/],
    ['a license type of a fee', { ...fee, licenseTypeId: 'editor' }, /^licenseTypeId is only for/],
  ])('refuses %s', (_, changes, message) => {
    expect(() => priceDecider.decide(create({ ...usage, ...changes }), undefined)).toThrow(message);
  });
});

describe('changing a price', () => {
  const config = { model: 'unit', unitPrice: '0.02', currency: 'USD' } as const;

  it('makes a version with all fields, and keeps the earlier versions', () => {
    given(created).when(update({ config })).then(updated({ config }));
    expect(given(created, updated({ config })).state()?.price?.versions).toEqual([
      { version: 1, createdAt: at, ...usage },
      { version: 2, createdAt: later, ...usage, config },
    ]);
  });

  it('makes no version when nothing differs', () => {
    given(created)
      .when(update({ config: usage.config, name: 'Requests' }))
      .then();
  });

  it('keeps the currency', () => {
    given(created)
      .when(update({ config: { ...config, currency: 'EUR' } }))
      .refused('validation_failed', 'config.currency');
  });

  it('sets tax rates of the price, and removes them again', () => {
    const reduced = updated({ taxRateIds: ['tax_7'] });
    given(created)
      .when(update(readPriceChanges({ taxRateIds: ['tax_7'] })))
      .then(reduced);
    given(created)
      .when(update(readPriceChanges({ taxRateIds: null })))
      .then();
    given(created, reduced)
      .when(update(readPriceChanges({ taxRateIds: null })))
      .then({
        type: 'PriceUpdated',
        data: { ...updated({ taxRateIds: null }).data, version: 3 },
      } as PriceEvent);
    expect(
      readPriceDetails({
        name: 'Books',
        config: { ...steps, tiers: [{ upTo: null, flatAmount: 50 }] },
        taxRateIds: [],
      }).taxRateIds,
    ).toEqual([]);
  });

  it('checks the price as a whole', () => {
    given(created)
      .when(update({ timing: 'in_advance' }))
      .refused('validation_failed');
    given(created)
      .when(update({ metricId: null }))
      .refused('validation_failed');
    given(created)
      .when(update({ metricId: null, cadence: 'annual' }))
      .then(updated({ metricId: null, cadence: 'annual' }));
  });

  it('is refused when it names a metric and the price has changed since, and succeeds when it starts again', () => {
    given(created, overtaken)
      .when(update({ metricId: 'met_2' }, 1))
      .refused('concurrent_modification');
    given(created, overtaken)
      .when(update({ metricId: 'met_2' }, 2))
      .then(updated({ metricId: 'met_2' }));
  });

  it('does not find a price that does not exist, is deleted, or was overtaken when it was created', () => {
    given().when(update({})).refused('price_not_found');
    given(overtaken).when(update({})).refused('price_not_found');
    given(created, deleted).when(update({})).refused('price_not_found');
  });
});

describe('a price that was never created', () => {
  it('is not found', () => {
    expect(() => requirePrice(priceId, undefined)).toThrow(
      expect.objectContaining({ code: 'price_not_found' }),
    );
  });
});

describe('a config that depends on the metric', () => {
  it('is that of a matrix or a percentage', () => {
    const percentage = { model: 'percentage', rate: '1', currency: 'USD' } as const;
    expect([matrix, percentage, usage.config, seat].map(configDependsOnMetric)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('deleting a price', () => {
  const remove = (checkedReferences: Record<string, number>) =>
    ({ type: 'DeletePrice', priceId, checkedReferences }) as const;

  it('succeeds if every reference was checked', () => {
    given(created).when(remove({})).then(deleted);
    expect(given(created, deleted).state()).toMatchObject({ price: { priceId, deleted: true } });
    for (const history of [[overtaken], []])
      given(...history)
        .when(remove({}))
        .refused('price_not_found');
    given(created, referenced(3))
      .when(remove({ plan_1: 3 }))
      .then(deleted);
  });

  it('is refused if a reference was not checked', () => {
    given(created, referenced(1)).when(remove({})).refused('price_in_use');
    given(created, referenced(1), referenced(3))
      .when(remove({ plan_1: 1 }))
      .refused('price_in_use');
  });

  it('refuses references afterwards', () => {
    const refer = { type: 'ReferencePrice', priceId, planId: 'plan_1', planRevision: 1 } as const;
    given(created).when(refer).then(referenced(1));
    given(created, referenced(1)).when(refer).then();
    given(created, deleted).when(refer).refused('price_not_found');
    given(created, deleted).when(remove({})).refused('price_not_found');
  });
});

describe('overtaking a change', () => {
  const overtake = (revision: number) => ({ type: 'StopPriceChange', priceId, revision }) as const;

  it('moves the revision on before a change has arrived', () => {
    given().when(overtake(1)).then(overtaken);
    given(created).when(overtake(2)).then(overtaken);
  });

  it('does nothing after a change has arrived', () => {
    given(created).when(overtake(1)).then();
    given(overtaken).when(overtake(1)).then();
  });
});

describe('charging for a metric', () => {
  const other = updated({ metricId: 'met_2' });

  it('holds for every version of a price that is not deleted, since subscriptions stay on theirs', () => {
    const state = given(created, other).state();
    expect(findPriceOfMetric(state, 'met_1')?.priceId).toBe(priceId);
    expect(findPriceOfMetric(state, 'met_2')?.priceId).toBe(priceId);
    expect(findPriceOfMetric(state, 'met_3')).toBeUndefined();
    expect(findPriceOfMetric(given(created, deleted).state(), 'met_1')).toBeUndefined();
    expect(findPriceOfMetric(given(overtaken).state(), 'met_1')).toBeUndefined();
    expect(findPriceOfMetric(undefined, 'met_1')).toBeUndefined();
  });
});

describe('a price in a request', () => {
  it('is monthly, in arrears and a fee by default', () => {
    const config = { model: 'flat', amount: 20, currency: 'USD' };
    expect(readPriceDetails({ name: 'Base', config })).toEqual({
      name: 'Base',
      description: null,
      config: { model: 'flat', amount: '20', currency: 'USD' },
      metricId: null,
      cadence: 'monthly',
      timing: 'in_arrears',
      licenseTypeId: null,
    });
  });

  it('refuses a config that the model does not understand', () => {
    expect(() => readPriceDetails({ name: 'Base', config: { model: 'flat', currency: 'USD' } })).toThrow(
      /config.amount is required/,
    );
    expect(() => readPriceChanges({ config: { model: 'barter' } })).toThrow(
      /config.model must be one of unit,/,
    );
  });
});

describe('a price and its metric', () => {
  const metric = (aggregation: Aggregation): Metric => ({
    metricId: 'met_1',
    createdAt: at,
    deleted: false,
    versions: [{ version: 1, createdAt: at, name: 'm', description: null, eventName: 'm', aggregation }],
    references: {},
  });
  const percentage = { model: 'percentage', rate: '1.5', currency: 'USD' } as const;

  it('fit if the metric groups by the dimensions of a matrix, or is a sum for a percentage', () => {
    const grouped = { type: 'count', groupBy: ['size', 'zone', 'region'] } as const;
    expect(() => checkMetricOfPrice({ config: matrix }, metric(grouped))).not.toThrow();
    expect(() =>
      checkMetricOfPrice({ config: percentage }, metric({ type: 'sum', property: 'amount' })),
    ).not.toThrow();
    expect(() => checkMetricOfPrice(usage, metric({ type: 'max', property: 'n' }))).not.toThrow();
  });

  it('do not fit otherwise', () => {
    expect(() =>
      checkMetricOfPrice({ config: matrix }, metric({ type: 'count', groupBy: ['size'] })),
    ).toThrow(/^config.dimensions must be properties that the metric groups by: region is not/);
    expect(() => checkMetricOfPrice({ config: percentage }, metric({ type: 'count' }))).toThrow(
      /^metricId must be of a metric with the aggregation sum/,
    );
  });
});
