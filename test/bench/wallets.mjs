// Prepaid credits: usage that draws on wallets beside the same usage without them, and the time until what was drawn is
// in the ledger of the wallet.
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { concurrently } from './concurrently.mjs';
import { load } from './load.mjs';
import { quantiles } from './quantiles.mjs';

const CUSTOMERS = 1_000;
const CHARGED = 'llm.charged';
const FREE = 'llm.free';
const PROBES = 60;

let sent = 0;

export async function benchWallets(stack, preset) {
  const own = await stack.workspace('wallets');
  const customers = await customersWithWallets(own);
  const several = {
    name: 'usage into 1,000 wallets, 100 events a request, 8 connections',
    events: 100,
    connections: 8,
  };
  const one = {
    name: 'usage into one wallet, 1 event a request, 64 connections',
    events: 1,
    connections: 64,
  };
  return [
    await intoWallets(stack, own, customers, several, 0.7, preset),
    await intoWallets(stack, own, customers.slice(0, 1), one, 0.5, preset),
    await untilRecorded(stack, own, customers, preset),
  ];
}

/** Customers with credits that the bench cannot use up, and a metric that costs credits. */
async function customersWithWallets({ post }) {
  await post('/v1/credit-types', { type: 'bench', name: 'Bench', unitPrice: 0.01, currency: 'USD' });
  const { id: metricId } = await post('/v1/metrics', {
    name: 'Tokens',
    eventName: CHARGED,
    aggregation: { type: 'sum', property: 'generatedTokens' },
  });
  await post('/v1/credit-types/bench/rates', { metricId, creditsPerUnit: 0.001 });
  const customers = [];
  await concurrently(CUSTOMERS, 16, async (i) => {
    const { id } = await post('/v1/customers', { name: `Customer ${i}` });
    await post(`/v1/customers/${id}/wallets/bench/grants`, { amount: 1e12 });
    customers.push(id);
  });
  return customers;
}

async function intoWallets(stack, own, customers, { name, events, connections }, required, preset) {
  const run = (eventName, seconds) =>
    load({
      url: stack.url,
      path: '/v1/events',
      headers: own.headers,
      connections,
      seconds,
      body: bodies(customers, eventName, events),
    });
  const rates = { charged: [], free: [] };
  let failed = 0;
  for (let round = 0; round <= preset.rounds; round++) {
    const seconds = round === 0 ? preset.warmUpSeconds : preset.seconds;
    const [charged, free] = [await run(CHARGED, seconds), await run(FREE, seconds)];
    failed += charged.failed + free.failed;
    if (round === 0) continue;
    rates.charged.push(charged);
    rates.free.push(free);
  }
  const [charged, free] = [median(rates.charged), median(rates.free)];
  const ratio = charged.perSecond / free.perSecond;
  return {
    name,
    value: Math.round(charged.perSecond * events),
    unit: 'events/s',
    baseline: { name: 'the same without wallets', value: Math.round(free.perSecond * events) },
    ratio,
    required: `ratio >= ${required}`,
    millis: { p50: charged.p50, p99: charged.p99 },
    passed: ratio >= required && failed === 0,
    ...(failed > 0 ? { failed } : {}),
  };
}

/** The time from the answer to an event until the wallet's ledger has it, while 10,000 events a second draw on other wallets. */
async function untilRecorded(stack, own, [probed, ...customers], preset) {
  const rate = 10_000;
  const seconds = Math.max(preset.seconds * preset.rounds, 15);
  const background = autocannon({
    url: stack.url,
    connections: 16,
    duration: seconds,
    overallRate: rate / 100,
    requests: [
      {
        method: 'POST',
        path: '/v1/events',
        headers: own.headers,
        setupRequest: (request) => ({ ...request, body: bodies(customers, CHARGED, 100)() }),
      },
    ],
  });
  const ledger = `/v1/customers/${probed}/wallets/bench/ledger?limit=1`;
  const newest = async () => (await own.call('GET', ledger)).data[0]?.id;
  const millis = [];
  await delay(2_000);
  const until = performance.now() + (seconds - 4) * 1_000;
  while (millis.length < PROBES && performance.now() < until) {
    const before = await newest();
    await own.post('/v1/events', {
      customerId: probed,
      eventName: CHARGED,
      properties: { generatedTokens: 1 },
    });
    const began = performance.now();
    while ((await newest()) === before) await delay(10);
    millis.push(performance.now() - began);
  }
  const { '2xx': answered, duration } = await background;
  const { p50, p99 } = quantiles(millis);
  return {
    name: `stored to recorded in the ledger, ${Math.round((answered * 100) / duration)} events/s`,
    value: Math.round(p99),
    unit: `ms, p99 of ${millis.length}`,
    millis: { p50: Math.round(p50), p99: Math.round(p99) },
    required: 'p99 <= 2,000 ms',
    passed: p99 <= 2_000,
  };
}

function bodies(customers, eventName, events) {
  const event = () => {
    const n = sent++;
    return (
      `{"customerId":"${customers[n % customers.length]}","eventName":"${eventName}","timestamp":"${new Date().toISOString()}",` +
      `"idempotencyKey":"wallets-${process.pid}-${n}","properties":{"model":"model-${n % 5}","region":"eu-west-1",` +
      `"contextTokens":${n % 8000},"generatedTokens":${(n % 500) + 1}}}`
    );
  };
  return () => (events === 1 ? event() : `[${Array.from({ length: events }, event).join(',')}]`);
}

function median(runs) {
  return [...runs].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)];
}
