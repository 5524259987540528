import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startSystem, type Client, type System, type TestWorkspace } from '../../../test/support/index.js';
import { Receiver } from '../../../test/support/receiver.js';

let system: System;
let workspace: TestWorkspace;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
  for (const id of ['with_plan', 'without_plan'])
    await http.post('/v1/customers', { id, name: id }).expect(201);
});

const event = (customerId: string, eventName: string, properties: object = {}): object => ({
  customerId,
  eventName,
  properties,
});
const create = async (path: string, body: object): Promise<string> =>
  (await http.post(path, body).expect(201)).body.id as string;
const metric = (eventName: string, aggregation: object = { type: 'count' }): Promise<string> =>
  create('/v1/metrics', { name: `${eventName} ${Math.random()}`, eventName, aggregation });
const usagePrice = (metricId: string): Promise<string> =>
  create('/v1/prices', {
    name: 'Calls',
    metricId,
    cadence: 'usage_based',
    config: { model: 'unit', unitPrice: 0.01, currency: 'USD' },
  });
const subscribe = async (priceId: string): Promise<string> => {
  const planId = await create('/v1/plans', { name: 'Pro', prices: [priceId] });
  return create('/v1/subscriptions', { customerId: 'with_plan', planId });
};
const send = async (
  body: object,
): Promise<{ accepted: string[]; warnings: Record<string, unknown>[]; unpriced: string | undefined }> => {
  const answer = await http.post('/v1/events', body).expect(200);
  return { ...answer.body, unpriced: answer.headers['usage-events-unpriced'] };
};
const listed = async (query: string): Promise<string[]> =>
  (await http.get(`/v1/events?${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);

describe('usage that a metric counts and no price charges', () => {
  it('has a warning for each event name and metric, unless a subscription of its customer charges it', async () => {
    const [calls, seen] = [await metric('call'), await metric('seen')];
    await subscribe(await usagePrice(calls));
    const { accepted, warnings, unpriced } = await send([
      event('with_plan', 'call'),
      event('with_plan', 'seen'),
      event('without_plan', 'call'),
      event('without_plan', 'seen'),
      event('with_plan', 'unknown'),
    ]);
    expect(unpriced).toBe('3');
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'no_metric', eventName: 'unknown' }),
      {
        code: 'unpriced',
        reason: `Metric ${seen} counts these events of the name "seen", but no price of their customers' subscriptions charges it; add a price with this metric to the plan or the subscription`,
        eventName: 'seen',
        metricId: seen,
        count: 2,
        eventIds: [accepted[1], accepted[3]],
      },
      expect.objectContaining({
        code: 'unpriced',
        eventName: 'call',
        metricId: calls,
        count: 1,
        eventIds: [accepted[2]],
      }),
    ]);
  });

  it('is charged if one of several metrics that count it has a price, or if it costs credits', async () => {
    await metric('call');
    const eu = await metric('call', { type: 'count', filter: { region: 'eu' } });
    await subscribe(await usagePrice(eu));
    const { accepted, warnings } = await send([
      event('with_plan', 'call', { region: 'eu' }),
      event('with_plan', 'call', { region: 'us' }),
    ]);
    expect(warnings).toMatchObject([{ code: 'unpriced', count: 1, eventIds: [accepted[1]] }]);

    const paid = await metric('paid');
    const creditType = { type: 'tokens', name: 'Tokens', unitPrice: 1, currency: 'USD', overage: 'allow' };
    await http.post('/v1/credit-types', creditType).expect(201);
    await http.post('/v1/credit-types/tokens/rates', { metricId: paid, creditsPerUnit: 1 }).expect(201);
    expect((await send(event('without_plan', 'paid'))).warnings).toEqual([]);
  });

  it('is listed by ?unpriced=true until a price charges it, page by page', async () => {
    const [calls, seen] = [await metric('call'), await metric('seen')];
    const subscriptionId = await subscribe(await usagePrice(calls));
    const { accepted } = await send([
      event('with_plan', 'seen'),
      event('with_plan', 'call'),
      event('without_plan', 'call'),
      event('with_plan', 'mistyped'),
      event('with_plan', 'seen'),
    ]);
    const [first, , other, mistyped, last] = accepted;
    expect(await listed('unpriced=true')).toEqual([last, other, first]);
    expect(await listed('unpriced=true&limit=1&offset=1')).toEqual([other]);
    const page = (await http.get('/v1/events?unpriced=true&limit=2').expect(200)).body;
    expect(page).toMatchObject({ hasMore: true, data: [{ id: last }, { id: other }] });
    expect(await listed(`unpriced=true&limit=2&after=${page.next}`)).toEqual([first]);
    expect(await listed('unpriced=true&customer_id=with_plan&event_name=seen')).toEqual([last, first]);
    expect(await listed('unpriced=true&unmatched=true')).toEqual([last, mistyped, other, first]);

    const addPrices = [await usagePrice(seen)];
    await http.post(`/v1/subscriptions/${subscriptionId}/amend`, { addPrices }).expect(200);
    expect(await listed('unpriced=true')).toEqual([other]);
    expect((await send(event('with_plan', 'seen'))).warnings).toEqual([]);
  });

  it('is told of by a webhook of its own', async () => {
    const receiver = await Receiver.start();
    try {
      const endpoint = { url: receiver.url, events: ['usage.unpriced'] };
      await workspace.session.post('/v1/webhooks', endpoint).expect(201);
      const calls = await metric('call');
      const { accepted } = await send([event('without_plan', 'call'), event('without_plan', 'mistyped')]);
      const told = JSON.parse((await receiver.arrived(1)).body);
      expect(told).toMatchObject({
        event: 'usage.unpriced',
        data: {
          count: 1,
          warnings: [{ code: 'unpriced', metricId: calls, count: 1, eventIds: [accepted[0]] }],
        },
      });
    } finally {
      await receiver.close();
    }
  });
});
