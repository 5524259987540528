import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { createLogger } from '#libs/kernel/system';
import { ObservedOutages, renderMetricsPage } from '#libs/kernel/telemetry';
import { STRIPE_KEY, StripeServer } from '../../../../test/support/stripe-server/index.js';
import { observedHttpClient } from './observed-http-client.js';

const REFUND = /^POST \/v1\/refunds$/;

let stripe: StripeServer;
let outages: ObservedOutages;
let lines: string[];
let client: Stripe;

beforeEach(async () => {
  stripe = await StripeServer.start();
  lines = [];
  const logger = createLogger('payments', 'info', { write: (line) => void lines.push(line) });
  outages = new ObservedOutages('payment_gateway', logger);
  client = clientOf(new URL(stripe.url).port);
});
afterEach(async () => {
  outages.close();
  await stripe.stop();
});

function clientOf(port: string): Stripe {
  return new Stripe(STRIPE_KEY, {
    protocol: 'http',
    host: '127.0.0.1',
    port,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: observedHttpClient(outages),
  });
}

/** Sends a request that Stripe refuses with a 4xx, because the refunded payment is unknown. */
const send = (to = client) =>
  to.refunds.create({ payment_intent: 'pi_none', amount: 1 }).catch(() => undefined);
const told = () =>
  lines.map((line) => {
    const { outage, system, error } = JSON.parse(line) as Record<string, unknown>;
    return { outage, system, error };
  });
const failing = async () =>
  /countinghouse_outages\{system="payment_gateway"\} (\d)/.exec(await renderMetricsPage())?.[1];

const begin = (error: unknown) => ({ outage: 'begin', system: 'payment_gateway', error });
const end = { outage: 'end', system: 'payment_gateway', error: undefined };

describe('an outage of Stripe', () => {
  it('begins with an error of Stripe itself, is logged once, and ends with any answer', async () => {
    await send();
    expect([told(), await failing()]).toEqual([[], '0']);
    for (let i = 0; i < 2; i++) {
      stripe.plan(REFUND, 500);
      await send();
    }
    expect([told(), await failing()]).toEqual([[begin('Stripe answered with the status 500')], '1']);
    await send();
    expect([told(), await failing()]).toEqual([[begin('Stripe answered with the status 500'), end], '0']);
  });

  it('begins if nobody listens', async () => {
    const { port } = new URL(stripe.url);
    await stripe.stop();
    await send(clientOf(port));
    expect(told()).toEqual([begin(expect.stringContaining('ECONNREFUSED'))]);
    stripe = await StripeServer.start();
    await send(clientOf(new URL(stripe.url).port));
    expect(told()).toEqual([begin(expect.stringContaining('ECONNREFUSED')), end]);
  });

  it('begins if the connection is closed twice, and not if the second attempt of the library is answered', async () => {
    stripe.plan(REFUND, 'cut');
    await send();
    expect(told()).toEqual([]);
    stripe.planTwice(REFUND, 'cut');
    await send();
    expect(told()).toEqual([begin(expect.any(String))]);
  });

  it('neither begins nor ends with a refusal of too many requests', async () => {
    stripe.plan(REFUND, 429);
    await send();
    expect(told()).toEqual([]);
    stripe.plan(REFUND, 500);
    await send();
    stripe.plan(REFUND, 429);
    await send();
    expect(told()).toEqual([begin('Stripe answered with the status 500')]);
  });
});
