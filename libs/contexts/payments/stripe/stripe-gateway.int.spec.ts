import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { loadSettings, type Settings } from '#libs/kernel/system';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../../test/support/index.js';
import { STRIPE_KEY, StripeServer, type CardName } from '../../../../test/support/stripe-server/index.js';
import { GatewayConnections, type GatewayConnection } from '../connection/gateway-connections.js';
import type { ChargeableCard, ChargeRequest } from '../payment-gateway.js';
import { CardSetups } from './card-setups.js';
import { StripeCharges } from './stripe-charges.js';
import { StripeClients } from './stripe-clients.js';
import { StripeCustomers } from './stripe-customers.js';
import { StripeGateway } from './stripe-gateway.js';

const workspaceId = 'acc_1';
const CREATE = /^POST \/v1\/payment_intents$/;
const succeeded = { status: 'succeeded' };

let database: TestDatabase;
let pool: Pool;
let stripe: StripeServer;
let gateway: StripeGateway;
let customers: StripeCustomers;
let setups: CardSetups;
let connection: GatewayConnection;
let settings: Settings;
let count = 0;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database, 10);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  stripe = await StripeServer.start();
  settings = loadSettings({
    JWT_SECRET: 'a secret of the tests, which is long enough',
    STRIPE_API_URL: stripe.url,
    LOG_LEVEL: 'silent',
  });
  const clients = new StripeClients(settings);
  const connections = new GatewayConnections(pool, settings);
  customers = new StripeCustomers(pool, clients);
  setups = new CardSetups(pool, connections, clients, customers, settings);
  gateway = new StripeGateway(pool, clients, connections, new StripeCharges(pool));
  connection = {
    workspaceId,
    provider: 'stripe',
    accountId: `acct_${++count}`,
    mode: 'test',
    secretKey: STRIPE_KEY,
    secretKeyLast4: '0001',
    webhookSecret: null,
    returnHosts: [],
    checkedAt: '2026-01-01T00:00:00.000Z',
    keyRefusedAt: null,
  };
  await connections.store(connection, pool);
});
afterEach(async () => stripe.stop());

/** A request to charge a card that a new customer has saved. */
async function requestFor(card: CardName, change: Partial<ChargeRequest> = {}): Promise<ChargeRequest> {
  const customerId = `cust_${++count}`;
  const id = `cset_${count}`;
  const setup = {
    id,
    workspaceId,
    customerId,
    paymentMethodId: `pm_${count}`,
    returnUrl: 'https://x.example',
    purpose: {},
  };
  const url = await setups.start({ ...setup, startedAt: '2026-01-01T00:00:00.000Z' });
  stripe.ledger.completeSession(url.split('/').at(-1)!, card);
  const method = await setups.savedCard(await setups.require(id));
  return {
    key: `pay_${++count}`,
    workspaceId,
    invoiceId: `inv_${count}`,
    attempt: 1,
    amount: '20.00',
    currency: 'USD',
    method: method!,
    ...change,
  };
}

/** Stripe's library sends a request once more whose connection was closed, so the connection must close twice. */
function planFault(request: RegExp, fault: 'cut' | 'drop' | 429 | 500): void {
  if (typeof fault === 'string') stripe.planTwice(request, fault);
  else stripe.plan(request, fault);
}

const taken = () => stripe.ledger.intentsWith('succeeded').map(({ amount }) => amount);
const sent = (request: RegExp) => stripe.requests.filter((one) => request.test(one)).length;

describe('a charge', () => {
  it('is made once for a key, with the amount in the smallest unit and the ids of the attempt', async () => {
    const request = await requestFor('visa');
    expect(await gateway.charge(request)).toEqual(succeeded);
    expect(await gateway.charge(request)).toEqual(succeeded);
    const [intent, ...more] = stripe.ledger.intents.values();
    expect(more).toEqual([]);
    expect(intent).toMatchObject({
      amount: 2_000,
      currency: 'usd',
      metadata: { workspace: workspaceId, invoice: request.invoiceId, attempt: request.key },
    });
  });

  it('is made once for ten simultaneous calls', async () => {
    const request = await requestFor('visa');
    await Promise.allSettled(Array.from({ length: 10 }, () => gateway.charge(request)));
    expect(await gateway.charge(request)).toEqual(succeeded);
    expect(taken()).toEqual([2_000]);
  });

  it('that is declined has the decline code of the bank, also when it is asked again', async () => {
    for (const [card, code] of [
      ['declined', 'generic_decline'],
      ['insufficientFunds', 'insufficient_funds'],
      ['stolen', 'stolen_card'],
    ] as const) {
      const request = await requestFor(card);
      const declined = { status: 'failed', code, message: 'Your card was declined.' };
      expect(await gateway.charge(request)).toEqual(declined);
      expect(await gateway.charge(request)).toEqual(declined);
    }
    expect(taken()).toEqual([]);
  });

  it('of an amount that Stripe cannot take exactly is not made', async () => {
    const request = await requestFor('visa', { amount: '5.125', currency: 'KWD' });
    expect(await gateway.charge(request)).toMatchObject({ status: 'failed', code: 'amount_not_chargeable' });
    expect(sent(CREATE)).toBe(0);
  });

  it('of a card that Stripe does not know fails', async () => {
    const request = await requestFor('visa');
    const method = { ...request.method, gatewayMethodId: 'pm_gone' } as ChargeRequest['method'];
    expect(await gateway.charge({ ...request, method })).toMatchObject({ code: 'resource_missing' });
  });
});

describe('a charge whose answer is lost', () => {
  it.each(['cut', 'drop', 500, 429] as const)(
    'by the fault "%s" is unknown, and is then found or made',
    async (fault) => {
      const request = await requestFor('visa');
      planFault(CREATE, fault);
      await expect(gateway.charge(request)).rejects.toMatchObject({ status: 503 });
      if (fault === 500) {
        // Stripe gives the same error again for the same key, for 24 hours.
        await expect(gateway.charge(request)).rejects.toMatchObject({ status: 503 });
        stripe.forgetIdempotencyKeys();
      }
      expect(await gateway.charge(request)).toEqual(succeeded);
      expect(taken()).toEqual([2_000]);
      expect(sent(CREATE)).toBe({ cut: 2, drop: 3, 500: 3, 429: 2 }[fault]);
    },
  );

  it('is found after Stripe has forgotten the idempotency key', async () => {
    const request = await requestFor('visa');
    stripe.planTwice(CREATE, 'cut');
    await expect(gateway.charge(request)).rejects.toMatchObject({ code: 'payment_gateway_unavailable' });
    stripe.forgetIdempotencyKeys();
    expect(await gateway.charge(request)).toEqual(succeeded);
    expect(taken()).toEqual([2_000]);
  });

  it('is found among more than a hundred charges of the customer', async () => {
    const request = await requestFor('visa');
    stripe.planTwice(CREATE, 'cut');
    await expect(gateway.charge(request)).rejects.toThrow();
    for (let i = 0; i < 120; i++)
      await gateway.charge({ ...request, key: `pay_more_${i}`, invoiceId: `inv_${i}` });
    stripe.forgetIdempotencyKeys();
    expect(await gateway.charge(request)).toEqual(succeeded);
    expect(taken()).toHaveLength(121);
  });

  it('is a decline, if the lost answer was one', async () => {
    const request = await requestFor('stolen');
    stripe.planTwice(CREATE, 'cut');
    await expect(gateway.charge(request)).rejects.toThrow();
    stripe.forgetIdempotencyKeys();
    expect(await gateway.charge(request)).toMatchObject({ status: 'failed', code: 'stolen_card' });
    expect(stripe.ledger.intents.size).toBe(1);
  });

  it('says that the key is refused, and is made when the key is right again', async () => {
    const request = await requestFor('visa');
    const store = (secretKey: string) =>
      new GatewayConnections(
        pool,
        loadSettings({ JWT_SECRET: 'a secret of the tests, which is long enough' }),
      ).store({ ...connection, secretKey }, pool);
    await store('sk_test_revoked0000');
    await expect(gateway.charge(request)).rejects.toMatchObject({
      code: 'payment_gateway_refused',
      status: 503,
    });
    await store(STRIPE_KEY);
    expect(await gateway.charge(request)).toEqual(succeeded);
    expect(taken()).toEqual([2_000]);
  });
});

describe('a charge that needs the customer', () => {
  const back = 'https://billing.example.com/i/token/confirmed';

  it('is confirmed on the page of the bank', async () => {
    const request = await requestFor('authenticates');
    expect(await gateway.charge(request)).toMatchObject({ status: 'requires_action' });
    expect(await gateway.completeConfirmation(request.key)).toMatchObject({ status: 'requires_action' });
    const url = await gateway.beginConfirmation(request.key, back);
    const [intent] = stripe.ledger.intents.values();
    expect(url).toBe(`${stripe.url}/bank/${intent!.id}`);
    expect(intent!.next_action?.redirect_to_url.return_url).toBe(back);
    // The customer presses the button twice.
    expect(await gateway.beginConfirmation(request.key, back)).toBe(url);
    stripe.ledger.answerBank(intent!.id, true);
    expect(await gateway.beginConfirmation(request.key, back)).toBeNull();
    expect(await gateway.completeConfirmation(request.key)).toEqual(succeeded);
    expect(await gateway.charge(request)).toEqual(succeeded);
    expect(taken()).toEqual([2_000]);
  });

  it('that was confirmed is unknown until Stripe answers, and then paid without another answer', async () => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    await gateway.beginConfirmation(request.key, back);
    stripe.ledger.answerBank([...stripe.ledger.intents.keys()][0]!, true);
    const charges = new StripeCharges(pool);
    planFault(/^GET \/v1\/payment_intents/, 429);
    await expect(gateway.completeConfirmation(request.key)).rejects.toMatchObject({ status: 503 });
    expect(await charges.find(request.key)).toMatchObject({ status: null });
    expect(await gateway.readOutcome(request.key)).toEqual(succeeded);
    // Another account is connected, which does not know the charge.
    stripe.ledger.intents.clear();
    expect(await gateway.completeConfirmation(request.key)).toEqual(succeeded);
    expect(await charges.find(request.key)).toMatchObject({ status: 'succeeded' });
  });

  it('fails if the customer does not confirm it', async () => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    await gateway.beginConfirmation(request.key, back);
    const [intent] = stripe.ledger.intents.values();
    stripe.ledger.answerBank(intent!.id, false);
    expect(await gateway.completeConfirmation(request.key)).toMatchObject({
      status: 'failed',
      code: 'payment_intent_authentication_failure',
    });
  });

  it('is closed before the invoice is charged again, so that it cannot be paid twice', async () => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    await gateway.beginConfirmation(request.key, back);
    const { method } = await requestFor('visa');
    expect(await gateway.charge({ ...request, key: 'pay_again', method })).toEqual(succeeded);
    const [first] = stripe.ledger.intents.values();
    expect(first!.status).toBe('canceled');
    expect(taken()).toEqual([2_000]);
  });

  it('is canceled if its invoice is voided, and refunded if it was confirmed meanwhile', async () => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    await gateway.beginConfirmation(request.key, back);
    await gateway.cancelWaitingCharge(request.key);
    await gateway.cancelWaitingCharge(request.key);
    const [first] = stripe.ledger.intents.values();
    expect(first!.status).toBe('canceled');
    expect(await gateway.readOutcome(request.key)).toMatchObject({ status: 'failed', code: 'canceled' });
    const other = { ...(await requestFor('authenticates')), key: `pay_${++count}` };
    await gateway.charge(other);
    await gateway.beginConfirmation(other.key, back);
    const intent = [...stripe.ledger.intents.values()].at(-1)!;
    stripe.ledger.answerBank(intent.id, true);
    await gateway.cancelWaitingCharge(other.key);
    expect([...stripe.ledger.refunds.values()]).toMatchObject([{ payment_intent: intent.id, amount: 2_000 }]);
  });

  it('is refunded if it was confirmed in the moment in which the invoice was charged again', async () => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    await gateway.beginConfirmation(request.key, back);
    const [first] = stripe.ledger.intents.values();
    stripe.ledger.answerBank(first!.id, true);
    const { method } = await requestFor('visa');
    expect(await gateway.charge({ ...request, key: 'pay_again2', method })).toEqual(succeeded);
    expect(taken()).toEqual([2_000, 2_000]);
    expect([...stripe.ledger.refunds.values()]).toMatchObject([{ payment_intent: first!.id, amount: 2_000 }]);
  });

  it.each([
    ['was refunded in the dashboard', (id: string) => stripe.ledger.refundInDashboard(id, 2_000)],
    ['is disputed', (id: string) => stripe.ledger.openDispute(id)],
  ])('does not keep the invoice from being charged again, if it was confirmed and %s', async (_, happen) => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    await gateway.beginConfirmation(request.key, back);
    const [first] = stripe.ledger.intents.values();
    stripe.ledger.answerBank(first!.id, true);
    happen(first!.id);
    const { method } = await requestFor('visa');
    const again = { ...request, key: `pay_${++count}`, method };
    expect(await gateway.charge(again)).toEqual(succeeded);
    await gateway.refundUnwantedCharge(request.key);
    expect(taken()).toEqual([2_000, 2_000]);
  });
});

describe('what Stripe does not know any more', () => {
  const back = 'https://billing.example.com/i/token/confirmed';
  const cardOf = ({ method }: ChargeRequest) => method as ChargeableCard;

  it('a card that was removed ends the confirmation, and the charge fails', async () => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    stripe.ledger.run('POST', `/payment_methods/${cardOf(request).gatewayMethodId}/detach`, {});
    expect(await gateway.beginConfirmation(request.key, back)).toBeNull();
    expect(await gateway.completeConfirmation(request.key)).toMatchObject({
      status: 'failed',
      code: 'canceled',
    });
  });

  it.each([
    ['reached Stripe', 'cut', succeeded, [2_000]],
    ['did not reach Stripe', 'drop', { status: 'failed', code: 'resource_missing' }, []],
  ] as const)(
    'a customer that was deleted while a charge that %s was unknown',
    async (_, fault, outcome, charged) => {
      const request = await requestFor('visa');
      planFault(CREATE, fault);
      await expect(gateway.charge(request)).rejects.toMatchObject({ status: 503 });
      stripe.ledger.run('DELETE', `/customers/${cardOf(request).gatewayCustomerId}`, {});
      stripe.forgetIdempotencyKeys();
      expect(await gateway.charge(request)).toMatchObject(outcome);
      expect(taken()).toEqual(charged);
    },
  );

  it('a charge of another account fails, and does not keep the invoice from being charged again', async () => {
    const request = await requestFor('authenticates');
    await gateway.charge(request);
    stripe.ledger.intents.clear();
    expect(await gateway.beginConfirmation(request.key, back)).toBeNull();
    const { method } = await requestFor('visa');
    expect(await gateway.charge({ ...request, key: 'pay_new_account', method })).toEqual(succeeded);
    expect(await gateway.completeConfirmation(request.key)).toMatchObject({
      status: 'failed',
      code: 'resource_missing',
    });
  });
});

describe('a refund', () => {
  it.each([undefined, 'cut', 'drop', 429] as const)('is made once, with the fault %s', async (fault) => {
    const request = await requestFor('visa');
    await gateway.charge(request);
    const refund = {
      key: `cn_${++count}`,
      chargeKey: request.key,
      workspaceId,
      amount: '7.00',
      currency: 'USD',
    };
    if (fault !== undefined) {
      planFault(/refunds/, fault);
      await expect(gateway.refund(refund)).rejects.toMatchObject({ status: 503 });
      stripe.forgetIdempotencyKeys();
    }
    await gateway.refund(refund);
    await gateway.refund(refund);
    await gateway.refund({ ...refund, key: `cn_${++count}`, amount: '13.00' });
    expect([...stripe.ledger.refunds.values()].map(({ amount }) => amount)).toEqual([700, 1_300]);
    await expect(gateway.refund({ ...refund, key: `cn_${++count}`, amount: '1.00' })).rejects.toMatchObject({
      code: 'refund_refused',
    });
  });

  it('is refused for good if the charge is disputed, or if Stripe cannot refund the amount exactly', async () => {
    const request = await requestFor('visa', { amount: '20.000', currency: 'KWD' });
    await gateway.charge(request);
    const refund = { chargeKey: request.key, workspaceId, currency: 'KWD' };
    await expect(gateway.refund({ ...refund, key: 'cn_a', amount: '5.125' })).rejects.toMatchObject({
      code: 'refund_refused',
      message: expect.stringContaining('cannot refund exactly 5.125 KWD'),
    });
    stripe.ledger.openDispute(stripe.ledger.intentsWith('succeeded')[0]!.id);
    await expect(gateway.refund({ ...refund, key: 'cn_b', amount: '5.120' })).rejects.toMatchObject({
      code: 'refund_refused',
      message: expect.stringContaining('has been charged back'),
    });
  });

  it('waits while Stripe refuses the secret key, which the connection says until Stripe accepts it again', async () => {
    const connections = new GatewayConnections(pool, settings);
    const refusedAt = async () => (await connections.find(workspaceId))!.keyRefusedAt;
    const request = await requestFor('visa');
    await gateway.charge(request);
    const refund = {
      key: `cn_${++count}`,
      chargeKey: request.key,
      workspaceId,
      amount: '7.00',
      currency: 'USD',
    };
    expect(await refusedAt()).toBeNull();
    stripe.plan(/refunds/, 401);
    stripe.plan(/refunds/, 401);
    await expect(gateway.refund(refund)).rejects.toMatchObject({ code: 'payment_gateway_refused' });
    const since = await refusedAt();
    expect(since).toEqual(expect.any(String));
    await expect(gateway.refund(refund)).rejects.toMatchObject({ status: 503 });
    expect(await refusedAt()).toBe(since);
    await gateway.refund(refund);
    expect(await refusedAt()).toBeNull();
    expect([...stripe.ledger.refunds.values()].map(({ amount }) => amount)).toEqual([700]);
  });

  it('is refused if it failed before its answer was seen', async () => {
    const request = await requestFor('visa');
    await gateway.charge(request);
    const refund = { key: `cn_${++count}`, chargeKey: request.key, workspaceId, currency: 'USD' };
    planFault(/refunds/, 'cut');
    await expect(gateway.refund({ ...refund, amount: '7.00' })).rejects.toMatchObject({ status: 503 });
    stripe.ledger.failRefund([...stripe.ledger.refunds.keys()][0]!);
    await expect(gateway.refund({ ...refund, amount: '7.00' })).rejects.toMatchObject({
      code: 'refund_refused',
      message: expect.stringContaining('expired_or_canceled_card'),
    });
    expect(stripe.ledger.refunds.size).toBe(1);
  });

  it('is only for charges of the workspace', async () => {
    const request = await requestFor('visa');
    await gateway.charge(request);
    const refund = {
      key: 'cn_x',
      chargeKey: request.key,
      workspaceId: 'acc_2',
      amount: '1.00',
      currency: 'USD',
    };
    await expect(gateway.refund(refund)).rejects.toThrow('another workspace');
    await expect(gateway.refund({ ...refund, chargeKey: 'pay_none' })).rejects.toThrow('pay_none');
  });
});

describe('a customer at Stripe', () => {
  it('is made once, also if the answer is lost', async () => {
    stripe.planTwice(/^POST \/v1\/customers$/, 'cut');
    await expect(customers.getOrCreateId(connection, workspaceId, 'northwind')).rejects.toThrow();
    const first = await customers.getOrCreateId(connection, workspaceId, 'northwind');
    expect(await customers.getOrCreateId(connection, workspaceId, 'northwind')).toBe(first);
    expect(stripe.ledger.customers.size).toBe(1);
  });

  it('is made again if somebody deleted it at Stripe, so that another card can be saved', async () => {
    const customerId = `cust_${++count}`;
    const start = (id: string) =>
      setups.start({
        id,
        workspaceId,
        customerId,
        paymentMethodId: `pm_${id}`,
        returnUrl: 'https://x.example',
        purpose: {},
        startedAt: '2026-01-01T00:00:00.000Z',
      });
    for (let deleted = 0; deleted < 3; deleted++) {
      await start(`cset_${++count}`);
      const [known] = stripe.ledger.customers.keys();
      stripe.ledger.run('DELETE', `/customers/${known}`, {});
    }
    // Two pages are begun at once. The answer with the new customer is lost, so the first call is repeated.
    stripe.planTwice(/^POST \/v1\/customers$/, 'cut');
    const ids = [`cset_${++count}`, `cset_${++count}`];
    await Promise.allSettled(ids.map(start));
    const urls = await Promise.all(ids.map(start));
    expect(stripe.ledger.customers.size).toBe(1);
    stripe.ledger.completeSession(urls[0]!.split('/').at(-1)!, 'visa');
    const method = await setups.savedCard(await setups.require(ids[0]!));
    const [gatewayCustomerId] = stripe.ledger.customers.keys();
    expect(method).toMatchObject({ gatewayCustomerId });
  });
});
