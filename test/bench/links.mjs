// What a link of an invoice of 500 lines costs the API, and how long a neighbour's writes take while visitors flood such links.
import { caller } from './http-caller.mjs';
import { concurrently } from './concurrently.mjs';
import { processesOf, processorMillis } from './processes.mjs';

const LINES = 500;
const LINKS = 20;
const CONNECTIONS = 20;
const MAX_PROCESSOR_MILLIS = 20;
const MAX_WRITE_MILLIS = 1_000;

export async function benchLinks(stack, { seconds, rounds }) {
  const urls = await linksOfLargeInvoices(await stack.workspace('links'));
  const api = (await processesOf(stack.pid)).get('api');
  const call = caller({});
  const get = async (url) => {
    const { status } = await call('GET', url);
    if (status !== 200 && status !== 503) throw new Error(`GET ${url} answered ${status}`);
    return status;
  };
  const costOf = async (count, url) => {
    const before = await processorMillis(api);
    await concurrently(count, 1, (i) => get(url(i)));
    return ((await processorMillis(api)) - before) / count;
  };
  // The first page of a process also loads and compiles what makes it.
  await get(urls[0]);
  const first = await costOf(LINKS - 1, (i) => urls[i + 1]);
  const again = await costOf(LINKS * 10, (i) => urls[i % LINKS]);
  await get(`${urls[0]}/pdf`);
  const pdfAgain = await costOf(LINKS * 5, () => `${urls[0]}/pdf`);
  const quiet = await slowestWrite(stack, during(seconds));
  const pages = await flooded(stack, seconds * rounds, (i) => get(urls[i % LINKS]));
  const pdfs = await flooded(stack, seconds * rounds, (i) => get(`${urls[i % LINKS]}/pdf`));
  return [
    cost(`page of ${LINES} lines, first request of each link`, first),
    cost(`page of ${LINES} lines, requested again`, again),
    cost(`PDF of ${LINES} lines, requested again`, pdfAgain),
    write('beside a flood of pages', pages, quiet),
    write('beside a flood of PDFs', pdfs, quiet),
  ];
}

const cost = (name, millis) => ({
  name: `processor time of the API, ${name}`,
  value: Number(millis.toFixed(2)),
  unit: 'ms a request',
  required: `<= ${MAX_PROCESSOR_MILLIS} ms`,
  passed: millis <= MAX_PROCESSOR_MILLIS,
});

const write = (name, { slowest, requests, refused }, quiet) => ({
  name: `slowest write of a neighbour ${name} by ${CONNECTIONS} connections`,
  value: Math.round(slowest),
  unit: 'ms',
  baseline: { name: 'without the flood', value: Math.round(quiet.slowest) },
  required: `<= ${MAX_WRITE_MILLIS} ms`,
  requests,
  refused,
  passed: slowest <= MAX_WRITE_MILLIS,
});

/** Floods the API for some seconds, and measures the writes of another workspace meanwhile. */
async function flooded(stack, seconds, request) {
  const isOver = during(seconds);
  let [requests, refused] = [0, 0];
  const visitor = async () => {
    while (!isOver()) {
      const status = await request(requests);
      requests += 1;
      if (status === 503) refused += 1;
    }
  };
  const flood = Promise.all(Array.from({ length: CONNECTIONS }, visitor));
  const { slowest } = await slowestWrite(stack, isOver);
  await flood;
  return { slowest, requests, refused };
}

/** The time of the slowest of the writes that follow each other until it is over, in ms. */
async function slowestWrite({ post }, isOver) {
  let slowest = 0;
  while (!isOver()) {
    const began = performance.now();
    await post('/v1/customers', { name: 'Neighbour' });
    slowest = Math.max(slowest, performance.now() - began);
  }
  return { slowest };
}

function during(seconds) {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
}

/** The addresses of pages of invoices with a line for each of 500 groups of usage. */
async function linksOfLargeInvoices({ call, post }) {
  await call('PUT', '/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' });
  const { id: metricId } = await post('/v1/metrics', {
    name: 'call',
    aggregation: { type: 'count', groupBy: ['project'] },
  });
  const config = { model: 'unit', unitPrice: 0.01, currency: 'USD' };
  const { id: priceId } = await post('/v1/prices', {
    name: 'Calls',
    metricId,
    cadence: 'usage_based',
    config,
  });
  const { id: planId } = await post('/v1/plans', { name: 'Calls', prices: [priceId] });
  const customers = await concurrently(LINKS, 4, async (i) => {
    const { id } = await post('/v1/customers', { name: `Customer ${i}` });
    await post('/v1/subscriptions', { customerId: id, planId });
    const events = Array.from({ length: LINES }, (_, group) => ({
      customerId: id,
      eventName: 'call',
      timestamp: '2026-01-01T00:00:00Z',
      idempotencyKey: `${id}-${group}`,
      properties: { project: `project ${group}` },
    }));
    await post('/v1/events', events);
    return id;
  });
  await post('/v1/sandbox/clock/advance', { to: '2026-02-02T00:00:00Z' });
  return concurrently(LINKS, 4, async (i) => {
    const { data } = await call('GET', `/v1/invoices?customer_id=${customers[i]}`);
    const { lines } = await call('GET', `/v1/invoices/${data[0].id}`);
    if (lines.length !== LINES) throw new Error(`The invoice has ${lines.length} lines`);
    return (await call('GET', `/v1/invoices/${data[0].id}/link`)).url;
  });
}
