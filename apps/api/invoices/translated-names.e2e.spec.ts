import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freezeClock, settle } from '../../../test/support/plans.js';
import {
  clientOf,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { until } from '../../../test/support/until.js';

let system: System;
let workspace: TestWorkspace;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  workspace = await system.workspace({ companyName: 'Contoso' });
  http = workspace.http;
  await freezeClock(workspace, '2026-01-01T00:00:00Z');
});

const seats = { name: 'Seats', config: { model: 'flat', amount: 10, currency: 'EUR' }, timing: 'in_advance' };

describe('names by language', () => {
  it('are printed on the documents of a customer with the language, as they were when the invoice was made', async () => {
    const translated = { ...seats, nameTranslations: { de: 'Plätze', fr: 'Places' } };
    const { body: price } = await http.post('/v1/prices').send(translated).expect(201);
    expect(price.nameTranslations).toEqual({ de: 'Plätze', fr: 'Places' });
    const plan = { name: 'Pro', nameTranslations: { de: 'Profi' }, prices: [price.id] };
    const { body: made } = await http.post('/v1/plans').send(plan).expect(201);
    expect(made.nameTranslations).toEqual({ de: 'Profi' });
    const coupon = { id: 'HI', name: 'Welcome', nameTranslations: { de: 'Willkommen' }, percentOff: 10 };
    await http.post('/v1/coupons').send(coupon).expect(201);
    const pageOf = async (id: string, language: string) => {
      await http.post('/v1/customers').send({ id, name: id, language }).expect(201);
      const subscription = { customerId: id, planId: made.id, coupons: ['HI'] };
      await http.post('/v1/subscriptions').send(subscription).expect(201);
      await settle(workspace);
      const { body } = await http.get(`/v1/invoices?customer_id=${id}`).expect(200);
      const [{ id: invoiceId, lines, discounts }] = body.data;
      // The JSON keeps the names of the catalog.
      expect(lines[0].description).toBe('Seats');
      expect(discounts[0].name).toBe('Welcome');
      const { body: link } = await http.get(`/v1/invoices/${invoiceId}/link`).expect(200);
      return new URL(link.url as string).pathname;
    };
    const visitor = clientOf(system.url);
    const textOf = async (path: string) => (await visitor.get(path).expect(200)).text;
    const german = await pageOf('lang-de', 'de');
    expect(await textOf(german)).toContain('>Plätze</span>');
    expect(await textOf(german)).toContain('<dt>Willkommen</dt>');
    expect(await textOf(await pageOf('lang-es', 'es'))).toContain('>Seats</span>');

    await http
      .patch(`/v1/prices/${price.id}`)
      .send({ nameTranslations: { de: 'Sitze' } })
      .expect(200);
    await http.patch('/v1/customers/lang-de').send({ name: 'Other' }).expect(200);
    expect(await textOf(german)).toContain('>Plätze</span>');
  });

  it('are those of the portal of a customer with the language', async () => {
    const translated = { ...seats, nameTranslations: { de: 'Plätze' } };
    const { body: price } = await http.post('/v1/prices').send(translated).expect(201);
    const plan = { name: 'Pro', nameTranslations: { de: 'Profi' }, prices: [price.id] };
    const { body: made } = await http.post('/v1/plans').send(plan).expect(201);
    await http
      .post('/v1/plans')
      .send({ ...plan, name: 'Max', nameTranslations: { de: 'Groß' } })
      .expect(201);
    const credits = {
      type: 'ai',
      name: 'Credits',
      unitPrice: 1,
      currency: 'EUR',
      nameTranslations: { de: 'Guthaben' },
    };
    await http.post('/v1/credit-types').send(credits).expect(201);
    await http
      .post('/v1/customers')
      .send({ id: 'c', name: 'C', language: 'de', currency: 'EUR' })
      .expect(201);
    await http.post('/v1/subscriptions').send({ customerId: 'c', planId: made.id }).expect(201);
    const { body: session } = await http.post('/v1/portal/sessions').send({ customerId: 'c' }).expect(201);
    const portal = clientOf(system.url, { authorization: `Bearer ${session.token}` });
    const dataOf = async (path: string) => (await portal.get(`/v1/portal/${path}`).expect(200)).body;
    expect((await dataOf('subscriptions')).data[0]).toMatchObject({
      planName: 'Profi',
      prices: [{ name: 'Plätze' }],
    });
    expect((await dataOf('plans')).data[0]).toMatchObject({ name: 'Groß', prices: [{ name: 'Plätze' }] });
    expect((await dataOf('wallets')).data[0]).toMatchObject({ name: 'Guthaben' });
    const [{ id }] = (await dataOf('plans')).data;
    const change = await dataOf(`plan-change/preview?planId=${id}`);
    expect(change.subscription.planName).toBe('Groß');
    const amendment = { planId: id, effectiveAt: '2026-01-20T00:00:00Z' };
    const { body: own } = await http.get('/v1/subscriptions?customer_id=c').expect(200);
    expect(own.data[0]).toMatchObject({ planName: 'Pro' });
    await http.post(`/v1/subscriptions/${own.data[0].id}/schedule-amendment`).send(amendment).expect(200);
    expect((await dataOf('subscriptions')).data[0].scheduledPlanChanges[0].planName).toBe('Groß');
    expect((await dataOf('upcoming')).lines[0].description).toBe('Plätze');
  });

  it('of metrics are on the lines of overage, among the used credits, and in the portal', async () => {
    const counted = { name: 'call', nameTranslations: { de: 'Anrufe' }, aggregation: { type: 'count' } };
    const { body: metric } = await http.post('/v1/metrics').send(counted).expect(201);
    expect(metric.nameTranslations).toEqual({ de: 'Anrufe' });
    const credits = {
      type: 'ai',
      name: 'Credits',
      nameTranslations: { fr: 'Crédits' },
      unitPrice: 1,
      currency: 'EUR',
      overage: 'allow',
    };
    await http.post('/v1/credit-types').send(credits).expect(201);
    await http.post('/v1/credit-types/ai/rates').send({ metricId: metric.id, creditsPerUnit: 2 }).expect(201);
    const { body: base } = await http.post('/v1/prices').send(seats).expect(201);
    const { body: plan } = await http
      .post('/v1/plans')
      .send({ name: 'Pro', prices: [base.id] })
      .expect(201);
    await http
      .post('/v1/customers')
      .send({ id: 'c', name: 'C', language: 'de', currency: 'EUR' })
      .expect(201);
    await http.post('/v1/customers/c/wallets/ai/grants').send({ amount: 1 }).expect(201);
    await http.post('/v1/subscriptions').send({ customerId: 'c', planId: plan.id }).expect(201);
    await http
      .post('/v1/events')
      .send({ customerId: 'c', eventName: 'call', timestamp: '2026-01-01T00:00:00Z', idempotencyKey: 'k' })
      .expect((response) => expect(response.status).toBeLessThan(300));
    const { body: session } = await http.post('/v1/portal/sessions').send({ customerId: 'c' }).expect(201);
    const portal = clientOf(system.url, { authorization: `Bearer ${session.token}` });
    expect((await portal.get('/v1/portal/usage').expect(200)).body.metrics).toMatchObject([
      { name: 'Anrufe' },
    ]);
    // The saga records within a second what usage has drawn.
    await until(
      async () =>
        (await portal.get('/v1/portal/upcoming').expect(200)).body.lines as { description: string }[],
      (lines) =>
        lines.some(({ description }) => description === 'Anrufe, Credits (beyond the prepaid credits)'),
    );
    await http.post('/v1/sandbox/clock/advance').send({ to: '2026-02-01T00:00:00Z' }).expect(200);
    const { body } = await http.get('/v1/invoices?customer_id=c').expect(200);
    const [{ id: invoiceId, lines, creditsUsed }] = body.data;
    // The JSON keeps the names of the catalog.
    expect(lines.map(({ description }: { description: string }) => description)).toContain(
      'call, Credits (beyond the prepaid credits)',
    );
    expect(creditsUsed).toMatchObject([{ metricName: 'call' }]);
    const { body: link } = await http.get(`/v1/invoices/${invoiceId}/link`).expect(200);
    const page = await clientOf(system.url)
      .get(new URL(link.url as string).pathname)
      .expect(200);
    expect(page.text).toContain('Anrufe, Credits');
    expect(page.text).not.toContain('call, Credits');
    const { body: changed } = await http
      .patch(`/v1/metrics/${metric.id}`)
      .send({ nameTranslations: null })
      .expect(200);
    expect(changed).toMatchObject({ nameTranslations: {}, version: 2 });
    const { body: same } = await http
      .patch(`/v1/metrics/${metric.id}`)
      .send({ nameTranslations: {} })
      .expect(200);
    expect(same.version).toBe(2);
  });

  it('are refused for a language that no document has, and for a name that is none', async () => {
    for (const nameTranslations of [{ it: 'Posti' }, { de: '' }, { de: 'a\nb' }, { de: 1 }, ['de'], 'de']) {
      const { body } = await http
        .post('/v1/prices')
        .send({ ...seats, nameTranslations })
        .expect(400);
      expect(body.details).toEqual([
        { field: 'nameTranslations', message: expect.stringContaining('by language (en, de, fr, es, ja)') },
      ]);
    }
  });

  it('are removed by null, and an empty object changes nothing where there are none', async () => {
    const { body: price } = await http
      .post('/v1/prices')
      .send({ ...seats, nameTranslations: { de: 'Plätze' } })
      .expect(201);
    const change = async (nameTranslations: object | null) =>
      (await http.patch(`/v1/prices/${price.id}`).send({ nameTranslations }).expect(200)).body;
    expect(await change(null)).toMatchObject({ nameTranslations: {}, version: 2 });
    expect(await change({})).toMatchObject({ nameTranslations: {}, version: 2 });
    const type = {
      type: 'ai',
      name: 'Credits',
      unitPrice: 1,
      currency: 'EUR',
      nameTranslations: { de: 'Guthaben' },
    };
    await http.post('/v1/credit-types').send(type).expect(201);
    const { body } = await http.patch('/v1/credit-types/ai').send({ nameTranslations: null }).expect(200);
    expect(body.nameTranslations).toEqual({});
  });
});
