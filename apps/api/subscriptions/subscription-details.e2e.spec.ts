import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { beforeCommand } from '../../../test/support/before-command.js';
import { Receiver } from '../../../test/support/receiver.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  requestsOf,
  settle,
  startSystem,
  subscribe,
  use,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

/* Details of a subscription that charge nothing by themselves: metadata, the external id, and the billing thresholds. */

let system: System;
let workspace: TestWorkspace;
let planId: string;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());
afterEach(() => {
  jest.restoreAllMocks();
});
beforeEach(async () => {
  workspace = await system.workspace();
  await freezeClock(workspace, '2026-01-01T00:00:00Z');
  const metricId = await createMetric(workspace, 'call');
  planId = await createPlan(workspace, perUnit('Calls', metricId, 0.1), fee('Base', 20));
  await workspace.http.post('/v1/customers', { id: 'north', name: 'Northwind' }).expect(201);
});

const { invoicesOf } = requestsOf(() => workspace);

async function create(more: object = {}): Promise<Record<string, unknown> & { id: string }> {
  const body = { customerId: 'north', planId, ...more };
  return (await workspace.http.post('/v1/subscriptions', body).expect(201)).body as Record<
    string,
    unknown
  > & {
    id: string;
  };
}

const change = (id: string, body: object) => workspace.http.patch(`/v1/subscriptions/${id}`, body);
const read = async (id: string) =>
  (await workspace.http.get(`/v1/subscriptions/${id}`).expect(200)).body as object;

it('changes what is named, keeps the rest, and null clears', async () => {
  const details = {
    metadata: { deal: 'D-1', seats: 3 },
    externalId: 'order/1',
    billingThresholds: { amountGte: 50 },
  };
  const made = await create();
  const { body: set } = await change(made.id, details).expect(200);
  expect(set).toEqual({ ...made, ...details });
  expect(await read(made.id)).toEqual(set);
  const { body: one } = await change(made.id, { externalId: 'order/2' }).expect(200);
  expect(one).toEqual({ ...set, externalId: 'order/2' });
  const { body: other } = await change(made.id, { metadata: { deal: 'D-2' } }).expect(200);
  expect(other).toEqual({ ...one, metadata: { deal: 'D-2' } });
  const { body: cleared } = await change(made.id, {
    metadata: null,
    externalId: null,
    billingThresholds: null,
  }).expect(200);
  expect(cleared).toEqual({ ...made, metadata: {}, externalId: null, billingThresholds: null });
  expect((await change(made.id, {}).expect(200)).body).toEqual(cleared);
});

it('is refused by field, for an unknown one, and for one that has ended', async () => {
  const { id } = await create();
  for (const [field, value] of [
    ['metadata', 'x'],
    ['externalId', ' '],
    ['externalId', 7],
    ['billingThresholds', 50],
    ['billingThresholds', { amountGte: 0 }],
    ['billingThresholds', { amountGte: 1.001 }],
    ['planId', planId],
    ['customerId', 'south'],
  ] as const) {
    const { body } = await change(id, { [field]: value }).expect(400);
    expect([field, body.details[0].field.split('.')[0]]).toEqual([field, field]);
  }
  await change('sub_none', { metadata: {} }).expect(404);
  await workspace.http.post(`/v1/subscriptions/${id}/cancel`, { immediately: true }).expect(200);
  expect((await change(id, { metadata: {} }).expect(409)).body.code).toBe('subscription_canceled');
});

it('is in the audit trail without values, and told by a webhook', async () => {
  const receiver = await Receiver.start();
  const { id } = await create();
  await workspace.session
    .post('/v1/webhooks', { url: receiver.url, events: ['subscription.updated'] })
    .expect(201);
  await change(id, { metadata: { deal: 'secret' }, externalId: 'order-1' }).expect(200);
  const received = await receiver.arrived(1);
  expect(JSON.parse(received.body)).toMatchObject({
    event: 'subscription.updated',
    data: { id, customerId: 'north', externalId: 'order-1', metadata: { deal: 'secret' } },
  });
  const { body } = await workspace.session
    .get(`/v1/audit?resourceId=${id}&action=subscription.updated`)
    .expect(200);
  expect(body.data).toMatchObject([{ action: 'subscription.updated', resourceType: 'subscription' }]);
  expect(JSON.stringify(body.data)).toMatch(/externalId/);
  expect(JSON.stringify(body.data)).not.toMatch(/secret|order-1/);
  // A change of nothing tells nobody.
  await change(id, { externalId: 'order-1' }).expect(200);
  const after = await workspace.session
    .get(`/v1/audit?resourceId=${id}&action=subscription.updated`)
    .expect(200);
  expect(after.body.data).toHaveLength(1);
  await receiver.close();
});

it('lets one subscription have an external id, and another one when it is given up', async () => {
  const first = await create({ externalId: 'order-1' });
  const second = await create();
  const { body: refused } = await change(second.id, { externalId: 'order-1' }).expect(409);
  expect(refused).toMatchObject({ code: 'external_id_in_use', details: [{ field: 'externalId' }] });
  expect(await read(second.id)).toMatchObject({ externalId: null });

  await change(first.id, { externalId: 'order-2' }).expect(200);
  await change(second.id, { externalId: 'order-2' }).expect(409);
  await workspace.http
    .post('/v1/subscriptions', { customerId: 'north', planId, externalId: 'order-2' })
    .expect(409);
  const third = await create({ externalId: 'order-1' });
  expect(third.id).not.toBe(first.id);
  await change(first.id, { externalId: 'order-1' }).expect(409);
  const { body: found } = await workspace.http.get('/v1/subscriptions?externalId=order-1').expect(200);
  expect(found.data).toEqual([third]);
  await change(third.id, { externalId: null }).expect(200);
  await change(second.id, { externalId: 'order-1' }).expect(200);
});

it('gives up the former external id also after a crash between the change and the release', async () => {
  const first = await create({ externalId: 'order-1' });
  const second = await create();
  beforeCommand(system.api, 'ReleaseExternalId', () => Promise.reject(new Error('the process died')));
  await change(first.id, { externalId: 'order-2' }).expect(500);
  jest.restoreAllMocks();
  expect(await read(first.id)).toMatchObject({ externalId: 'order-2' });
  await settle(workspace);
  await change(second.id, { externalId: 'order-1' }).expect(200);
  await change(second.id, { externalId: 'order-2' }).expect(409);
});

it('gives an external id to one of several that ask at once', async () => {
  const ids = [(await create()).id, (await create()).id, (await create()).id];
  const created = workspace.http.post('/v1/subscriptions', {
    customerId: 'north',
    planId,
    externalId: 'order-1',
  });
  const answers = await Promise.all([created, ...ids.map((id) => change(id, { externalId: 'order-1' }))]);
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status).filter((status) => status >= 300))).toEqual(
    new Set([409]),
  );
  const { body: found } = await workspace.http.get('/v1/subscriptions?externalId=order-1').expect(200);
  expect(found.data).toHaveLength(1);
});

it('invoices usage at once that a new threshold covers, and no more after the threshold is gone', async () => {
  const { customerId, subscriptionId } = await subscribe(workspace, planId);
  await use(workspace, customerId, 'call', '2026-01-01T00:00:00Z');
  await advanceClock(workspace, '2026-01-03T00:00:00Z');
  const kinds = async () => (await invoicesOf(customerId)).map(({ kind, total }) => [kind, total]);
  const before = await kinds();
  await change(subscriptionId, { billingThresholds: { amountGte: 0.1 } }).expect(200);
  await advanceClock(workspace, '2026-01-04T00:00:00Z');
  expect((await kinds()).slice(before.length)).toEqual([['progressive', 0.1]]);
  await change(subscriptionId, { billingThresholds: null }).expect(200);
  await use(workspace, customerId, 'call', '2026-01-04T00:00:00Z');
  await advanceClock(workspace, '2026-01-05T00:00:00Z');
  expect(await kinds()).toHaveLength(before.length + 1);
});
