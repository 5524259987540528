import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { beforeCommand } from '../../../test/support/before-command.js';
import {
  createPlan,
  fee,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

let system: System;
let workspace: TestWorkspace;
let http: Client;
let planId: string;
let customerId: string;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  http = workspace.http;
  planId = await createPlan(workspace, fee('Seat', 30));
});
afterAll(async () => system?.stop());
/** What is done before the next command of a type. */
const before = new Map<string, () => Promise<void>>();

beforeEach(async () => {
  customerId = await newCustomer();
  before.clear();
  beforeCommand(system.api, ['ReferenceCustomer', 'CreateSubscription', 'DeleteCustomer'], async (type) => {
    const hook = before.get(type);
    before.delete(type);
    await hook?.();
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function newCustomer(): Promise<string> {
  const { body } = await http.post('/v1/customers', { name: 'Northwind Ltd' }).expect(201);
  return (body as { id: string }).id;
}

const subscribe = (key?: string, more: object = {}) => {
  const request = http.post('/v1/subscriptions', { customerId, planId, ...more });
  return key === undefined ? request : request.set('idempotency-key', key);
};
const remove = () => http.delete(`/v1/customers/${customerId}`);

/** Stops the next command of that type before it runs. */
function hold(type: string) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  before.set(type, () => {
    arrived.resolve();
    return released.promise;
  });
  return { arrived: arrived.promise, release: () => released.resolve() };
}

/** What there is in the end: the customer, and its subscriptions. */
async function found(): Promise<{ customer: boolean; subscriptions: number }> {
  const { status } = await http.get(`/v1/customers/${customerId}`);
  const { body } = await http.get('/v1/subscriptions?limit=1000').expect(200);
  const { data } = body as { data: { customerId: string }[] };
  return {
    customer: status === 200,
    subscriptions: data.filter((one) => one.customerId === customerId).length,
  };
}

describe('a customer that is subscribed and deleted at the same moment', () => {
  it.each(['ReferenceCustomer', 'CreateSubscription'])(
    'is deleted and not subscribed, if the subscription waits before %s',
    async (type) => {
      const held = hold(type);
      const subscribing = subscribe().then((answer) => answer);
      await held.arrived;
      await remove().expect(204);
      held.release();
      expect(await subscribing).toMatchObject({ status: 404, body: { code: 'customer_not_found' } });
      expect(await found()).toEqual({ customer: false, subscriptions: 0 });
    },
  );

  it('is subscribed and not deleted, if the deletion waits before its last step', async () => {
    const held = hold('DeleteCustomer');
    const removing = remove().then((answer) => answer);
    await held.arrived;
    await subscribe().expect(201);
    held.release();
    expect(await removing).toMatchObject({ status: 409, body: { code: 'customer_has_subscriptions' } });
    expect(await found()).toEqual({ customer: true, subscriptions: 1 });
  });

  it('is subscribed once, with its coupon, and not deleted, if each overtakes the other', async () => {
    const coupon = { id: 'ONCE', name: 'Once', percentOff: 10, maxRedemptions: 1 };
    await http.post('/v1/coupons', coupon).expect(201);
    const [creation, deletion] = [hold('CreateSubscription'), hold('DeleteCustomer')];
    const subscribing = subscribe('each-overtakes', { coupons: ['ONCE'] }).then((answer) => answer);
    await creation.arrived;
    const removing = remove().then((answer) => answer);
    await deletion.arrived;
    creation.release();
    const subscribed = await subscribing;
    expect(subscribed.status).toBe(201);
    deletion.release();
    expect(await removing).toMatchObject({ status: 409, body: { code: 'customer_has_subscriptions' } });
    const { body: again } = await subscribe('each-overtakes', { coupons: ['ONCE'] }).expect(201);
    expect(again).toEqual(subscribed.body);
    expect(await found()).toEqual({ customer: true, subscriptions: 1 });
    const { body: coupons } = await http.get(`/v1/customers/${customerId}/coupons`).expect(200);
    expect(coupons).toMatchObject({ data: [{ couponId: 'ONCE', subscriptionId: subscribed.body.id }] });
  });

  it('has one outcome, fifteen times', async () => {
    for (let round = 0; round < 15; round++) {
      customerId = await newCustomer();
      const [subscribed, removed] = await Promise.all([subscribe(), remove()]);
      expect(['201 409', '404 204']).toContain(`${subscribed.status} ${removed.status}`);
    }
  });
});

describe('a process that dies while it subscribes a customer', () => {
  /** Fails the next command of that type, as if the process had died before it. */
  const dieBefore = (type: string) => before.set(type, () => Promise.reject(new Error('died')));

  it('does not keep the customer from being deleted', async () => {
    dieBefore('CreateSubscription');
    await subscribe('died').expect(500);
    await remove().expect(204);
    await subscribe('died').expect(404);
  });

  it('does not keep the same request from subscribing it', async () => {
    dieBefore('CreateSubscription');
    await subscribe('died-came-again').expect(500);
    await subscribe('died-came-again').expect(201);
    expect(await found()).toEqual({ customer: true, subscriptions: 1 });
  });

  it('does not keep the same request from subscribing it after a deletion that was refused', async () => {
    dieBefore('CreateSubscription');
    await subscribe('died-overtaken').expect(500);
    const deletion = hold('DeleteCustomer');
    const removing = remove().then((answer) => answer);
    await deletion.arrived;
    await subscribe('died-overtaken').expect(201);
    deletion.release();
    expect((await removing).status).toBe(409);
    expect(await found()).toEqual({ customer: true, subscriptions: 1 });
  });
});

describe('a customer whose subscriptions have all ended', () => {
  it('is deleted', async () => {
    const { body } = await subscribe().expect(201);
    const { id } = body as { id: string };
    const { body: refused } = await remove().expect(409);
    expect(refused).toMatchObject({ code: 'customer_has_subscriptions', error: expect.stringContaining(id) });
    const options = { immediately: true, finalInvoice: false };
    await http.post(`/v1/subscriptions/${id}/cancel`, options).expect(200);
    await remove().expect(204);
  });
});
