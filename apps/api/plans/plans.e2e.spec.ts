import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, startSystem, type Client, type System } from '../../../test/support/index.js';

let system: System;
let http: Client;
let a: string;
let b: string;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  http = (await system.workspace()).http;
  [a, b] = [await price(), await price()];
});

const price = async (currency = 'USD', as = http): Promise<string> => {
  const body = { name: 'Base', config: { model: 'flat', amount: 20, currency } };
  return (await as.post('/v1/prices', body).expect(201)).body.id;
};
const create = async (body: object = { name: 'Growth', prices: [a] }): Promise<string> =>
  (await http.post('/v1/plans', body).expect(201)).body.id;
const versions = async (id: string, query = '') =>
  (await http.get(`/v1/plans/${id}/versions${query}`).expect(200)).body.data as {
    version: number;
    status: string;
  }[];
const statuses = async (id: string) =>
  (await versions(id)).map(({ version, status }) => `${version} ${status}`);

describe('POST /v1/plans', () => {
  it('creates a plan whose version 1 is published, and a GET right after sees it', async () => {
    const body = { name: 'Growth', description: 'For teams', prices: [{ priceId: a }, b] };
    const { body: created } = await http.post('/v1/plans', body).expect(201);
    expect(created).toEqual({
      id: expect.stringMatching(/^plan_[0-9A-Z]{26}$/),
      name: 'Growth',
      nameTranslations: {},
      description: 'For teams',
      prices: [{ priceId: a }, { priceId: b }],
      currency: 'USD',
      features: [],
      trialDays: 0,
      visibility: 'public',
      minimumCommitment: null,
      billingThresholds: null,
      version: 1,
      status: 'published',
      publishedVersion: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await http.get(`/v1/plans/${created.id}`).expect(200)).body).toEqual(created);
    expect((await http.get('/v1/plans').expect(200)).body).toEqual({ data: [created], hasMore: false });
  });

  it('names the field that is wrong', async () => {
    const wrong: [object, string][] = [
      [{ prices: [a] }, 'name'],
      [{ name: 'x'.repeat(201), prices: [a] }, 'name'],
      [{ name: 'P' }, 'prices'],
      [{ name: 'P', prices: a }, 'prices'],
      [{ name: 'P', prices: [] }, 'prices'],
      [{ name: 'P', prices: Array.from({ length: 51 }, (_, i) => `price_${i}`) }, 'prices'],
      [{ name: 'P', prices: [a, 5] }, 'prices[1]'],
      [{ name: 'P', prices: [{}] }, 'prices[0].priceId'],
      [{ name: 'P', prices: [{ priceId: a, quantity: 1 }] }, 'prices[0].quantity'],
      [{ name: 'P', prices: [a, b, { priceId: a }] }, 'prices[2]'],
      [{ name: 'P', prices: [a], version: 2 }, 'version'],
    ];
    for (const [body, field] of wrong) {
      const { body: answer } = await http.post('/v1/plans', body).expect(400);
      expect(answer).toMatchObject({ code: 'validation_failed', details: [{ field }] });
    }
  });

  it('carries features, a trial and who sees it, from version to version', async () => {
    const features = [
      { featureId: 'seats', name: 'Seats', type: 'numeric', limit: 5, metricId: null, resets: null },
      { featureId: 'sso', name: 'sso', type: 'boolean', limit: null, metricId: null, resets: null },
    ];
    const given = { features: [features[0], { featureId: 'sso' }], trialDays: 14, visibility: 'hidden' };
    const minimumCommitment = 99.5;
    const { body: created } = await http
      .post('/v1/plans', { name: 'Growth', prices: [a], ...given, minimumCommitment })
      .expect(201);
    expect(created).toMatchObject({ features, trialDays: 14, visibility: 'hidden', minimumCommitment });
    const { body: draft } = await http
      .patch(`/v1/plans/${created.id}`, {
        features: [{ ...features[0], limit: 10 }],
        trialDays: 0,
        minimumCommitment: null,
        billingThresholds: null,
      })
      .expect(200);
    expect(draft).toMatchObject({
      features: [{ ...features[0], limit: 10 }],
      trialDays: 0,
      visibility: 'hidden',
    });
    const [, second] = (await http.get(`/v1/plans/${created.id}/versions`).expect(200)).body.data;
    expect(second.changes).toEqual([
      { field: 'trialDays', from: 14, to: 0 },
      { field: 'minimumCommitment', from: 99.5, to: null },
      {
        field: 'features',
        added: [],
        removed: [features[1]],
        changed: [{ from: features[0], to: { ...features[0], limit: 10 } }],
      },
    ]);
    for (const [wrong, field] of [
      [{ trialDays: 1.5 }, 'trialDays'],
      [{ visibility: 'secret' }, 'visibility'],
      [{ minimumCommitment: 0 }, 'minimumCommitment'],
      [{ minimumCommitment: '100' }, 'minimumCommitment'],
      [{ minimumCommitment: 1e13 }, 'minimumCommitment'],
      [{ minimumCommitment: 10.005 }, 'minimumCommitment'],
      [{ minimumCommitment: { amount: 10.005, interval: 'annual' } }, 'minimumCommitment.amount'],
      [{ minimumCommitment: { amount: 10 } }, 'minimumCommitment.interval'],
      [{ billingThresholds: { amountGte: 0.001 } }, 'billingThresholds.amountGte'],
      [{ features: [{ featureId: 'a', limit: 'x' }] }, 'features[0].limit'],
    ] as const) {
      const { body } = await http.patch(`/v1/plans/${created.id}`, wrong).expect(400);
      expect(body.details[0].field).toBe(field);
    }
  });

  it('takes fifty prices', async () => {
    const prices = await Promise.all(Array.from({ length: 50 }, () => price()));
    const { body } = await http.post('/v1/plans', { name: 'P', prices }).expect(201);
    expect(body.prices).toEqual(prices.map((priceId) => ({ priceId })));
  });

  it('has one currency', async () => {
    const { body } = await http.post('/v1/plans', { name: 'P', prices: [a, await price('EUR')] }).expect(400);
    expect(body).toMatchObject({
      details: [{ field: 'prices[1]', message: expect.stringContaining('one currency') }],
    });
  });

  it('does not find a price that is not in the workspace, or deleted', async () => {
    const theirs = await price('USD', (await system.workspace()).http);
    await http.delete(`/v1/prices/${b}`).expect(204);
    for (const missing of [theirs, 'price_nothing', b]) {
      const { body } = await http.post('/v1/plans', { name: 'P', prices: [a, missing] }).expect(404);
      expect(body).toMatchObject({ code: 'price_not_found', details: [{ field: 'prices[1]' }] });
    }
    expect((await http.get('/v1/plans').expect(200)).body.data).toEqual([]);
    await http.delete(`/v1/prices/${a}`).expect(204);
  });

  it('makes one plan of twenty identical requests with one key at once', async () => {
    const post = () =>
      http
        .post('/v1/plans', { name: 'P', prices: [a] })
        .set('idempotency-key', 'k')
        .expect(201);
    const answers = await Promise.all(Array.from({ length: 20 }, post));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await http.get('/v1/plans').expect(200)).body.data).toHaveLength(1);
  });
});

describe('versions of a plan', () => {
  it('are drafts until they are published', async () => {
    const id = await create();
    const { body: draft } = await http
      .patch(`/v1/plans/${id}`, { name: 'Scale', prices: [a, b] })
      .expect(200);
    expect(draft).toMatchObject({ name: 'Scale', version: 2, status: 'draft', publishedVersion: 1 });
    expect((await http.get(`/v1/plans/${id}`).expect(200)).body).toEqual(draft);
    expect(await statuses(id)).toEqual(['1 published', '2 draft']);

    await http.patch(`/v1/plans/${id}`, { description: 'For teams' }).expect(200);
    expect(await statuses(id)).toEqual(['1 published', '2 superseded', '3 draft']);

    const { body: published } = await http.post(`/v1/plans/${id}/publish`).expect(200);
    expect(published).toMatchObject({
      name: 'Scale',
      description: 'For teams',
      prices: [{ priceId: a }, { priceId: b }],
      version: 3,
      status: 'published',
      publishedVersion: 3,
    });
    expect((await http.get(`/v1/plans/${id}`).expect(200)).body).toEqual(published);
    expect(await statuses(id)).toEqual(['1 superseded', '2 superseded', '3 published']);
  });

  it('are listed in pages, each with all that it says', async () => {
    const id = await create();
    await http.patch(`/v1/plans/${id}`, { prices: [b] }).expect(200);
    expect(await versions(id, '?limit=1&offset=1')).toEqual([
      {
        version: 2,
        status: 'draft',
        name: 'Growth',
        nameTranslations: {},
        description: null,
        prices: [{ priceId: b }],
        currency: 'USD',
        features: [],
        trialDays: 0,
        visibility: 'public',
        minimumCommitment: null,
        billingThresholds: null,
        basedOn: 1,
        changes: [{ field: 'prices', added: [b], removed: [a] }],
        createdAt: expect.stringMatching(/Z$/),
        publishedAt: null,
      },
    ]);
    expect((await versions(id))[0]).toMatchObject({ version: 1, publishedAt: expect.stringMatching(/Z$/) });
    await http.get(`/v1/plans/${id}/versions?limit=0`).expect(400);
  });

  it('stay as they are when nothing differs, or there is no draft to publish', async () => {
    const id = await create();
    expect(
      (await http.patch(`/v1/plans/${id}`, { name: 'Growth', prices: [{ priceId: a }] }).expect(200)).body
        .version,
    ).toBe(1);
    expect((await http.post(`/v1/plans/${id}/publish`).expect(200)).body).toMatchObject({
      version: 1,
      status: 'published',
    });
    expect(await statuses(id)).toEqual(['1 published']);
  });

  it('do not change when a price does', async () => {
    const id = await create();
    await http.patch(`/v1/prices/${a}`, { name: 'Base fee' }).expect(200);
    expect(await statuses(id)).toEqual(['1 published']);
  });

  it('can be restored, under their own numbers', async () => {
    const id = await create();
    await http.patch(`/v1/plans/${id}`, { name: 'Scale' }).expect(200);
    await http.post(`/v1/plans/${id}/publish`).expect(200);
    const { body } = await http.post(`/v1/plans/${id}/versions/1/restore`).expect(200);
    expect(body).toMatchObject({ name: 'Growth', version: 1, status: 'published', publishedVersion: 1 });
    expect(await statuses(id)).toEqual(['1 published', '2 superseded']);
    expect((await http.patch(`/v1/plans/${id}`, { name: 'Max' }).expect(200)).body.version).toBe(3);
  });

  it('give up a draft when an earlier one is restored', async () => {
    const id = await create();
    await http.patch(`/v1/plans/${id}`, { name: 'Scale' }).expect(200);
    const { body } = await http.post(`/v1/plans/${id}/versions/1/restore`).expect(200);
    expect(body).toMatchObject({ name: 'Growth', version: 1, status: 'published' });
    expect(await statuses(id)).toEqual(['1 published', '2 superseded']);
  });

  it('are not restored with a price that has been deleted', async () => {
    const id = await create();
    await http.patch(`/v1/plans/${id}`, { prices: [b] }).expect(200);
    await http.post(`/v1/plans/${id}/publish`).expect(200);
    await http.delete(`/v1/prices/${a}`).expect(204);
    const { body } = await http.post(`/v1/plans/${id}/versions/1/restore`).expect(409);
    expect(body).toMatchObject({ code: 'price_deleted', error: expect.stringContaining(a) });
  });

  it('are found by their number only', async () => {
    const id = await create();
    await http.post(`/v1/plans/${id}/versions/2/restore`).expect(404);
    for (const version of ['0', 'x', '1.5', '-1', '9999999999']) {
      const { body } = await http.post(`/v1/plans/${id}/versions/${version}/restore`).expect(400);
      expect(body.details[0].field).toBe('version');
    }
  });
});

describe('PATCH /v1/plans/:id', () => {
  it('refuses what a plan cannot be', async () => {
    const id = await create();
    const wrong: [object, string][] = [
      [{ name: null }, 'name'],
      [{ name: '' }, 'name'],
      [{ prices: null }, 'prices'],
      [{ prices: [] }, 'prices'],
      [{ prices: [await price('EUR')] }, 'prices'],
      [{ status: 'published' }, 'status'],
    ];
    for (const [changes, field] of wrong)
      expect((await http.patch(`/v1/plans/${id}`, changes).expect(400)).body.details[0].field).toBe(field);
    await http.patch(`/v1/plans/${id}`, { prices: ['price_nothing'] }).expect(404);
    expect(await statuses(id)).toEqual(['1 published']);
  });
});

describe('DELETE /v1/plans/:id', () => {
  it('is refused while somebody is subscribed to it, as is the deletion of a price that is subscribed to', async () => {
    const id = await create();
    await http.post('/v1/customers', { id: 'acme', name: 'Acme' }).expect(201);
    const subscription = { customerId: 'acme', planId: id };
    const { body: subscribed } = await http.post('/v1/subscriptions', subscription).expect(201);
    const { body } = await http.delete(`/v1/plans/${id}`).expect(409);
    expect(body).toMatchObject({ code: 'plan_in_use', error: expect.stringContaining(subscribed.id) });

    await http.patch(`/v1/plans/${id}`, { prices: [b] }).expect(200);
    await http.post(`/v1/plans/${id}/publish`).expect(200);
    const { body: price } = await http.delete(`/v1/prices/${a}`).expect(409);
    expect(price).toMatchObject({ code: 'price_in_use', error: expect.stringContaining(subscribed.id) });

    await http.post(`/v1/subscriptions/${subscribed.id}/cancel`, { immediately: true }).expect(200);
    await http.delete(`/v1/plans/${id}`).expect(204);
    await http.delete(`/v1/prices/${a}`).expect(204);
  });

  it('is done once, and then nothing of the plan is found', async () => {
    const id = await create();
    await http.delete(`/v1/plans/${id}`).expect(204);
    await http.delete(`/v1/plans/${id}`).expect(404);
    await http.get(`/v1/plans/${id}`).expect(404);
    await http.get(`/v1/plans/${id}/versions`).expect(404);
    await http.patch(`/v1/plans/${id}`, { name: 'n' }).expect(404);
    await http.post(`/v1/plans/${id}/publish`).expect(404);
    await http.post(`/v1/plans/${id}/versions/1/restore`).expect(404);
    expect((await http.get('/v1/plans').expect(200)).body.data).toEqual([]);
  });
});

describe('who may see and change the catalog', () => {
  it('is nobody from another workspace', async () => {
    const other = (await system.workspace()).http;
    const id = await create();
    await other.get(`/v1/plans/${id}`).expect(404);
    await other.get(`/v1/plans/${id}/versions`).expect(404);
    await other.patch(`/v1/plans/${id}`, { name: 'n' }).expect(404);
    await other.post(`/v1/plans/${id}/publish`).expect(404);
    await other.post(`/v1/plans/${id}/versions/1/restore`).expect(404);
    await other.delete(`/v1/plans/${id}`).expect(404);
    expect((await http.get(`/v1/plans/${id}`).expect(200)).body.version).toBe(1);
  });

  it('is a viewer for reading, and nobody without a credential', async () => {
    const id = await create();
    const { body } = await http.post('/v1/api-keys', { name: 'reader', role: 'viewer' }).expect(201);
    const viewer = clientOf(system.url, { 'x-api-key': body.key });
    await viewer.get(`/v1/plans/${id}`).expect(200);
    for (const path of ['metrics', 'prices', 'plans']) {
      await viewer.get(`/v1/${path}`).expect(200);
      await viewer.post(`/v1/${path}`, {}).expect(403);
      await clientOf(system.url).get(`/v1/${path}`).expect(401);
    }
  });
});
