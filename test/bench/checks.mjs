// The questions that a product asks while its customer works: may they, can they pay, what have they used. Each beside a
// bare Fastify that answers one SELECT by key.
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { startServer } from './child.mjs';
import { concurrently } from './concurrently.mjs';

const CUSTOMERS = 1_000;
const REQUIRED = 0.5;
const EVENT = 'llm.call';
const SETTLE_MILLIS = 16_000;

let sent = 0;

export async function benchChecks(stack, preset) {
  const own = await stack.workspace('checks');
  const { customers, metricId } = await customersWithEverything(own);
  const customer = () => customers[sent++ % customers.length];
  const asked = {
    'wallets/check': () => ({
      path: `/v1/wallets/check?customerId=${customer()}&creditType=bench&amount=10`,
    }),
    'usage-limits/check': () => ({
      method: 'POST',
      path: '/v1/usage-limits/check',
      body: `{"customerId":"${customer()}","metricId":"${metricId}","quantity":10}`,
    }),
    'one entitlement': () => ({ path: `/v1/customers/${customer()}/entitlements/tokens` }),
  };
  // What a process has just changed it reads again for some seconds, instead of from memory.
  await delay(SETTLE_MILLIS);
  const bare = await startServer('baseline-server.mjs', stack.databaseUrl);
  try {
    const results = [];
    for (const [name, request] of Object.entries(asked))
      results.push(await beside(name, request, { stack, own, bare, preset }));
    return results;
  } finally {
    bare.stop();
  }
}

/** Customers with credits, a limit and a feature that measures their usage. */
async function customersWithEverything({ post }) {
  await post('/v1/credit-types', { type: 'bench', name: 'Bench', unitPrice: 0.01, currency: 'USD' });
  const { id: metricId } = await post('/v1/metrics', {
    name: 'Tokens',
    eventName: EVENT,
    aggregation: { type: 'sum', property: 'tokens' },
  });
  await post('/v1/usage-limits', { metricId, limit: 1e9, per: 'month', action: 'block' });
  const config = { model: 'flat', amount: 10, currency: 'USD' };
  const { id: priceId } = await post('/v1/prices', { name: 'Base', config });
  const features = [{ featureId: 'tokens', name: 'Tokens', type: 'numeric', limit: 1e9, metricId }];
  const { id: planId } = await post('/v1/plans', { name: 'Pro', prices: [priceId], features });
  const customers = [];
  await concurrently(CUSTOMERS, 16, async (i) => {
    const { id } = await post('/v1/customers', { name: `Customer ${i}` });
    await post(`/v1/customers/${id}/wallets/bench/grants`, { amount: 1e12 });
    await post('/v1/subscriptions', { customerId: id, planId });
    await post('/v1/events', { customerId: id, eventName: EVENT, properties: { tokens: 100 } });
    customers.push(id);
  });
  return { customers, metricId };
}

async function beside(name, request, { stack, own, bare, preset }) {
  const rates = { ours: [], bare: [] };
  let failed = 0;
  for (let round = 0; round <= preset.rounds; round++) {
    const seconds = round === 0 ? preset.warmUpSeconds : preset.seconds;
    const ours = await run(stack.url, own.headers, request, seconds);
    const select = () => ({ path: `/v1/select/${sent++ % CUSTOMERS}` });
    const other = await run(`http://127.0.0.1:${bare.port}`, {}, select, seconds);
    failed += ours.failed + other.failed;
    if (round === 0) continue;
    rates.ours.push(ours);
    rates.bare.push(other);
  }
  const [ours, other] = [median(rates.ours), median(rates.bare)];
  const ratio = ours.perSecond / other.perSecond;
  return {
    name: `${name}, 32 connections`,
    value: Math.round(ours.perSecond),
    unit: 'requests/s',
    baseline: { name: 'bare Fastify, one SELECT by key', value: Math.round(other.perSecond) },
    ratio,
    required: `ratio >= ${REQUIRED}`,
    millis: { p50: ours.p50, p99: ours.p99 },
    passed: ratio >= REQUIRED && failed === 0,
    ...(failed > 0 ? { failed } : {}),
  };
}

async function run(url, headers, request, seconds) {
  const result = await autocannon({
    url,
    connections: 32,
    duration: seconds,
    requests: [{ method: 'GET', headers, setupRequest: (one) => ({ ...one, ...request() }) }],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    failed: result.non2xx + result.errors + result.timeouts,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

function median(runs) {
  return [...runs].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)];
}
