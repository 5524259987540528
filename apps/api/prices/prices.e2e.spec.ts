import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startSystem, type Client, type System } from '../../../test/support/index.js';

let system: System;
let http: Client;
let metricId: string;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  http = (await system.workspace()).http;
  const { body } = await http
    .post('/v1/metrics', { name: 'request', aggregation: { type: 'count' } })
    .expect(201);
  metricId = body.id;
});

const unit = { model: 'unit', unitPrice: 0.01, currency: 'USD' };
const flat = { model: 'flat', amount: 20, currency: 'USD' };
const create = async (body: object): Promise<{ id: string; version: number }> =>
  (await http.post('/v1/prices', body).expect(201)).body;

describe('POST /v1/prices', () => {
  it('creates a usage-based price, and a GET right after sees it', async () => {
    const body = {
      name: 'Requests',
      description: 'Each request',
      config: unit,
      metricId,
      cadence: 'usage_based',
      timing: 'in_arrears',
    };
    const created = await create(body);
    expect(created).toEqual({
      ...body,
      nameTranslations: {},
      licenseTypeId: null,
      taxRateIds: null,
      id: expect.stringMatching(/^price_01[0-9A-HJKMNP-TV-Z]{24}$/),
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await http.get(`/v1/prices/${created.id}`).expect(200)).body).toEqual(created);
    expect((await http.get('/v1/prices').expect(200)).body).toEqual({ data: [created], hasMore: false });
  });

  it('needs a name and a config only; it is then a monthly fee in arrears', async () => {
    expect(await create({ name: 'Base', config: flat })).toMatchObject({
      description: null,
      config: flat,
      metricId: null,
      cadence: 'monthly',
      timing: 'in_arrears',
    });
    expect(await create({ name: 'Seat', config: unit })).toMatchObject({ config: unit, metricId: null });
  });

  it('takes an empty metricId as none: a flat fee', async () => {
    const empty = { name: 'Base', config: flat, metricId: '' };
    expect(await create(empty)).toMatchObject({ metricId: null, cadence: 'monthly' });
    const usage = { ...empty, config: unit, cadence: 'usage_based' };
    expect((await http.post('/v1/prices', usage).expect(400)).body.details[0].field).toBe('metricId');
    const { id } = await create({ name: 'Requests', config: unit, metricId });
    const { body } = await http.patch(`/v1/prices/${id}`, { config: flat, metricId: '' }).expect(200);
    expect(body).toMatchObject({ config: flat, metricId: null, version: 2 });
  });

  it.each(['monthly', 'quarterly', 'annual', 'one_time'])(
    'takes a fee with the cadence %s, in advance too',
    async (cadence) => {
      expect(await create({ name: 'Base', config: flat, cadence, timing: 'in_advance' })).toMatchObject({
        cadence,
      });
    },
  );

  it('keeps every digit of a price', async () => {
    const send = (unitPrice: string) =>
      http
        .post('/v1/prices')
        .set('content-type', 'application/json')
        .send(`{"name":"P","config":{"model":"unit","unitPrice":${unitPrice},"currency":"USD"}}`);
    const { text } = await send('123456789012345.123456789012345').expect(201);
    expect(text).toContain('"unitPrice":123456789012345.123456789012345');
    expect((await send('2.5e-6').expect(201)).text).toContain('"unitPrice":0.0000025');
    const { body } = await send('1e15').expect(400);
    expect(body.details).toEqual([
      { field: 'config.unitPrice', message: expect.stringContaining('15 digits') },
    ]);
  });

  it('names the field that is wrong', async () => {
    const wrong: [object, string][] = [
      [{ config: flat }, 'name'],
      [{ name: 'x'.repeat(201), config: flat }, 'name'],
      [{ name: 'P' }, 'config'],
      [{ name: 'P', config: 'unit' }, 'config'],
      [{ name: 'P', config: [] }, 'config'],
      [{ name: 'P', config: { currency: 'USD' } }, 'config.model'],
      [{ name: 'P', config: { model: 'unit', currency: 'USD' } }, 'config.unitPrice'],
      [{ name: 'P', config: { ...unit, unitPrice: -1 } }, 'config.unitPrice'],
      [{ name: 'P', config: { ...unit, unitPrice: '1' } }, 'config.unitPrice'],
      [{ name: 'P', config: { model: 'unit', unitPrice: 1 } }, 'config.currency'],
      [{ name: 'P', config: { ...unit, currency: 'ABC' } }, 'config.currency'],
      [{ name: 'P', config: { ...unit, amount: 1 } }, 'config.amount'],
      [{ name: 'P', config: unit, cadence: 'usage_based' }, 'metricId'],
      [{ name: 'P', config: flat, metricId }, 'metricId'],
      [{ name: 'P', config: unit, metricId, timing: 'in_advance' }, 'timing'],
      [{ name: 'P', config: unit, metricId, cadence: 'one_time' }, 'cadence'],
      [{ name: 'P', config: flat, cadence: 'weekly' }, 'cadence'],
      [{ name: 'P', config: flat, cadence: null }, 'cadence'],
      [{ name: 'P', config: flat, timing: 'later' }, 'timing'],
      [{ name: 'P', config: flat, licenseTypeId: 'seat' }, 'licenseTypeId'],
      [{ name: 'P', config: unit, metricId: 'a b' }, 'metricId'],
      [{ name: 'P', config: flat, currency: 'USD' }, 'currency'],
    ];
    for (const [body, field] of wrong) {
      const { body: answer } = await http.post('/v1/prices', body).expect(400);
      expect(answer).toMatchObject({ code: 'validation_failed', details: [{ field }] });
    }
  });

  it('does not find a metric that is not in the workspace, and says which field names it', async () => {
    const other = (await system.workspace()).http;
    const { body: theirs } = await other
      .post('/v1/metrics', { name: 'm', aggregation: { type: 'count' } })
      .expect(201);
    for (const id of [theirs.id, 'met_nothing']) {
      const { body } = await http.post('/v1/prices', { name: 'P', config: unit, metricId: id }).expect(404);
      expect(body).toMatchObject({ code: 'metric_not_found', details: [{ field: 'metricId' }] });
    }
    await other.delete(`/v1/metrics/${theirs.id}`).expect(204);
  });
});

describe('a price of any model', () => {
  it('is kept and shown as it was sent', async () => {
    const configs = [
      {
        model: 'graduated',
        tiers: [
          { upTo: 10, unitPrice: 1, flatAmount: 2 },
          { upTo: null, unitPrice: 0.5 },
        ],
      },
      { model: 'stairstep', tiers: [{ upTo: null, flatAmount: 50 }] },
      { model: 'package', packageSize: 10, packagePrice: 1.5, freeUnits: 3, includedUnits: 7 },
      { model: 'unit', unitPrice: 1, minimumAmount: 5, maximumAmount: 10 },
      { model: 'unit', unitPrice: 1, includedUnits: 7, includedUnitsShared: true },
    ];
    for (const config of configs) {
      const sent = { ...config, currency: 'USD' };
      const { id } = await create({ name: 'P', config: sent, metricId, cadence: 'usage_based' });
      expect((await http.get(`/v1/prices/${id}`).expect(200)).body.config).toEqual(sent);
    }
  });

  it('names the field of the tier that is wrong', async () => {
    const config = { model: 'volume', tiers: [{ upTo: 5, unitPrice: 1 }], currency: 'USD' };
    const { body } = await http.post('/v1/prices', { name: 'P', config, metricId }).expect(400);
    expect(body.details).toEqual([
      { field: 'config.tiers[0].upTo', message: 'must be null: the last tier is open' },
    ]);
  });

  it('fits its metric: a matrix by what it groups by, a percentage of what it sums', async () => {
    const matrix = {
      model: 'matrix',
      dimensions: ['region'],
      cells: [{ values: ['eu'], unitPrice: 2 }],
      defaultUnitPrice: 1,
      currency: 'USD',
    };
    const percentage = { model: 'percentage', rate: 1, currency: 'USD' };
    const wrong: [object, string][] = [
      [{ config: matrix, metricId }, 'config.dimensions'],
      [{ config: percentage, metricId }, 'metricId'],
      [{ config: percentage }, 'metricId'],
    ];
    for (const [body, field] of wrong)
      expect((await http.post('/v1/prices', { name: 'P', ...body }).expect(400)).body.details[0].field).toBe(
        field,
      );
    const { id } = await create({ name: 'P', config: unit, metricId });
    expect((await http.patch(`/v1/prices/${id}`, { config: matrix }).expect(400)).body.details[0].field).toBe(
      'config.dimensions',
    );
    const aggregation = { type: 'sum', property: 'amount', groupBy: ['region'] };
    const { body: sum } = await http.post('/v1/metrics', { name: 'payment', aggregation }).expect(201);
    for (const config of [matrix, percentage]) await create({ name: 'P', config, metricId: sum.id });
    await http.patch(`/v1/prices/${id}`, { config: matrix, metricId: sum.id }).expect(200);
  });

  it('is of a license type, if it is for seats', async () => {
    const seat = { name: 'Seat', config: { model: 'license', unitPrice: 9, currency: 'USD' } };
    expect((await http.post('/v1/prices', seat).expect(400)).body.details[0].field).toBe('licenseTypeId');
    const { id } = await create({ ...seat, licenseTypeId: 'editor' });
    const fee = { config: flat, licenseTypeId: null };
    expect((await http.patch(`/v1/prices/${id}`, fee).expect(200)).body).toMatchObject({
      ...fee,
      version: 2,
    });
  });
});

describe('POST /v1/prices/evaluate', () => {
  const graduated = {
    model: 'graduated',
    tiers: [
      { upTo: 1000, unitPrice: 0.1 },
      { upTo: null, unitPrice: 0.05, flatAmount: 10 },
    ],
    currency: 'USD',
  };

  it('says what a quantity costs and which tiers make it', async () => {
    const { body } = await http
      .post('/v1/prices/evaluate', { config: graduated, quantity: 1100.5 })
      .expect(200);
    expect(body).toEqual({
      currency: 'USD',
      quantity: 1100.5,
      amount: 115.03,
      unrounded: 115.025,
      tiers: [
        { upTo: 1000, quantity: 1000, unitPrice: 0.1, amount: 100 },
        { upTo: null, quantity: 100.5, unitPrice: 0.05, flatAmount: 10, amount: 15.025 },
      ],
    });
  });

  it('says what minimum and maximum do, and takes a price by its id', async () => {
    const config = { ...unit, minimumAmount: 5, maximumAmount: 10 };
    const { id: priceId } = await create({ name: 'P', config, metricId });
    const of = async (quantity: number) =>
      (await http.post('/v1/prices/evaluate', { priceId, quantity }).expect(200)).body;
    expect(await of(100)).toMatchObject({ amount: 5, unrounded: 1, upToMinimum: 4 });
    expect(await of(5000)).toMatchObject({ amount: 10, unrounded: 50, amountBeforeMaximum: 50 });
    await http.post('/v1/prices/evaluate', { priceId: 'price_1', quantity: 1 }).expect(404);
  });

  it('names what is missing or too much', async () => {
    const percentage = { model: 'percentage', rate: 1, fixedFee: 1, currency: 'USD' };
    const wrong: [object, string][] = [
      [{ quantity: 1 }, 'config'],
      [{ config: unit, priceId: 'price_1', quantity: 1 }, 'config'],
      [{ config: { ...unit, unitPrice: 'x' }, quantity: 1 }, 'config.unitPrice'],
      [{ config: unit }, 'quantity'],
      [{ config: unit, quantity: '1' }, 'quantity'],
      [{ config: unit, eventAmounts: [1] }, 'eventAmounts'],
      [{ config: percentage, quantity: 1 }, 'eventAmounts'],
      [{ config: percentage, quantity: 1, eventAmounts: [1] }, 'quantity'],
      [{ config: percentage, eventAmounts: ['1'] }, 'eventAmounts'],
      [{ config: unit, quantity: 1, group: { region: 1 } }, 'group'],
    ];
    for (const [body, field] of wrong)
      expect((await http.post('/v1/prices/evaluate', body).expect(400)).body.details[0].field).toBe(field);
  });
});

describe('PATCH /v1/prices/:id', () => {
  it('makes a new version with what is given', async () => {
    const { id } = await create({ name: 'Requests', config: unit, metricId });
    const config = { ...unit, unitPrice: 0.02 };
    const { body } = await http.patch(`/v1/prices/${id}`, { config }).expect(200);
    expect(body).toMatchObject({ id, name: 'Requests', config, metricId, version: 2 });
    expect((await http.get(`/v1/prices/${id}`).expect(200)).body).toEqual(body);
  });

  it('makes no version when nothing differs', async () => {
    const { id } = await create({ name: 'Requests', config: unit, metricId });
    expect((await http.patch(`/v1/prices/${id}`, { config: unit, metricId }).expect(200)).body.version).toBe(
      1,
    );
  });

  it('checks the price as a whole', async () => {
    const { id } = await create({ name: 'Requests', config: unit, metricId, cadence: 'usage_based' });
    const wrong: [object, string][] = [
      [{ metricId: null }, 'metricId'],
      [{ config: flat }, 'metricId'],
      [{ timing: 'in_advance' }, 'timing'],
      [{ config: { ...unit, currency: 'EUR' } }, 'config.currency'],
      [{ name: null }, 'name'],
      [{ config: null }, 'config'],
      [{ version: 3 }, 'version'],
    ];
    for (const [changes, field] of wrong)
      expect((await http.patch(`/v1/prices/${id}`, changes).expect(400)).body.details[0].field).toBe(field);
    const fee = { config: flat, metricId: null, cadence: 'monthly' };
    expect((await http.patch(`/v1/prices/${id}`, fee).expect(200)).body).toMatchObject({
      ...fee,
      version: 2,
    });
  });

  it('moves a price to another metric of the workspace only', async () => {
    const { id } = await create({ name: 'Requests', config: unit, metricId });
    const { body: other } = await http
      .post('/v1/metrics', { name: 'm', aggregation: { type: 'count' } })
      .expect(201);
    await http.patch(`/v1/prices/${id}`, { metricId: 'met_nothing' }).expect(404);
    await http.patch(`/v1/prices/${id}`, { metricId: other.id }).expect(200);
    await http.delete(`/v1/metrics/${other.id}`).expect(409);
    await http.delete(`/v1/metrics/${metricId}`).expect(409);
  });
});

describe('DELETE /v1/prices/:id', () => {
  it('is refused while a plan has it, and done after', async () => {
    const { id } = await create({ name: 'Base', config: flat });
    const { body: plan } = await http.post('/v1/plans', { name: 'Growth', prices: [id] }).expect(201);
    const { body } = await http.delete(`/v1/prices/${id}`).expect(409);
    expect(body).toMatchObject({ code: 'price_in_use', error: expect.stringContaining(plan.id) });
    await http.delete(`/v1/plans/${plan.id}`).expect(204);
    await http.delete(`/v1/prices/${id}`).expect(204);
    await http.delete(`/v1/prices/${id}`).expect(404);
    await http.get(`/v1/prices/${id}`).expect(404);
    await http.patch(`/v1/prices/${id}`, { name: 'n' }).expect(404);
    expect((await http.get('/v1/prices').expect(200)).body.data).toEqual([]);
  });
});

describe('GET /v1/prices', () => {
  it('lists in the order of creation, in pages', async () => {
    for (const name of ['c', 'a', 'b']) await create({ name, config: flat });
    const names = async (query: string) =>
      ((await http.get(`/v1/prices${query}`).expect(200)).body.data as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await names('')).toEqual(['c', 'a', 'b']);
    expect(await names('?limit=2&offset=1')).toEqual(['a', 'b']);
    expect((await http.get('/v1/prices?limit=1001').expect(400)).body.details[0].field).toBe('limit');
  });
});

describe("another workspace's price", () => {
  it('is not found, whatever is tried', async () => {
    const other = (await system.workspace()).http;
    const { id } = await create({ name: 'Base', config: flat });
    await other.get(`/v1/prices/${id}`).expect(404);
    await other.patch(`/v1/prices/${id}`, { name: 'n' }).expect(404);
    await other.delete(`/v1/prices/${id}`).expect(404);
    expect((await http.get(`/v1/prices/${id}`).expect(200)).body.version).toBe(1);
  });
});
