// What a link of an invoice of 500 lines costs the API, and how long a neighbour's writes take while visitors flood such links.
import { caller } from './http-caller.mjs';
import { concurrently } from './concurrently.mjs';
import { besideFlood, during, neighbourWrites, writesResult } from './neighbour.mjs';
import { processesOf, processorMillis } from './processes.mjs';
import { quantiles } from './quantiles.mjs';

const LINES = 500;
const LINKS = 100;
/** The links whose PDF is requested for the first time. The browser needs about a second for each. */
const PDFS = 20;
/** The links that the visitors of a flood request. */
const FLOODED_LINKS = 20;
const CONNECTIONS = 20;
const MAX_PROCESSOR_MILLIS = 20;

export async function benchLinks(stack, { seconds, rounds }) {
  const urls = await linksOfLargeInvoices(await stack.workspace('links'));
  const api = (await processesOf(stack.pid)).get('api');
  const call = caller({});
  const get = async (url) => {
    const { status } = await call('GET', url);
    if (status !== 200 && status !== 503) throw new Error(`GET ${url} answered ${status}`);
    return status;
  };
  /** The processor time of each of some requests that follow each other, in ms. */
  const costsOf = (count, url) =>
    concurrently(count, 1, async (i) => {
      const before = await processorMillis(api);
      await get(url(i));
      return (await processorMillis(api)) - before;
    });
  const page = (i) => urls[i % LINKS];
  const pdf = (i) => `${urls[i % PDFS]}/pdf`;
  const results = [
    cost('the first page of a process', await costsOf(1, page)),
    cost(
      'page, first request of each link',
      await costsOf(LINKS - 1, (i) => page(i + 1)),
      MAX_PROCESSOR_MILLIS,
    ),
    cost('page, requested again', await costsOf(LINKS * 10, page), MAX_PROCESSOR_MILLIS),
    cost('the first PDF of a process', await costsOf(1, pdf)),
    cost('PDF, first request of each link', await costsOf(PDFS - 1, (i) => pdf(i + 1))),
    cost('PDF, requested again', await costsOf(PDFS * 10, pdf), MAX_PROCESSOR_MILLIS),
  ];
  const quiet = await neighbourWrites(stack, during(seconds));
  for (const [kind, path] of [
    ['pages', ''],
    ['PDFs', '/pdf'],
  ]) {
    const send = (i) => get(urls[i % FLOODED_LINKS] + path);
    const writes = await besideFlood(stack, { seconds: seconds * rounds, connections: CONNECTIONS, send });
    results.push(writesResult(`a flood of ${kind} by ${CONNECTIONS} connections`, writes, quiet));
  }
  return results;
}

/**
 * The row of the report about the processor time of requests, with its limit in ms. Two kinds of requests have no limit. The first request
 * of a process also loads and compiles what makes the page, and the first PDF starts the browser. And a PDF is made once for each state of
 * its invoice, one at a time for all links: the writes of a neighbour show whether that is enough.
 */
function cost(name, costs, limit) {
  const millis = quantiles(costs);
  return {
    name: `processor time of the API, ${LINES} lines: ${name}`,
    value: Number(millis.p50.toFixed(2)),
    unit: 'ms a request',
    millis,
    required: limit === undefined ? undefined : `p50 <= ${limit} ms`,
    passed: limit === undefined ? null : millis.p50 <= limit,
  };
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
