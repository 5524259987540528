// What the month of one customer costs to invoice, however much it has used: with some events and with a hundred times
// as many. Computed over and over, as a preview is, and issued once.
import { concurrently } from './concurrently.mjs';
import { quantiles } from './quantiles.mjs';

const perRequest = 1_000;
const requiredMillis = 100;

export async function benchInvoice(stack, { invoiceEvents }) {
  const { call, post } = await stack.workspace('invoice');
  await call('PUT', '/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' });
  const { id: metricId } = await post('/v1/metrics', {
    name: 'tokens',
    eventName: 'llm.request',
    aggregation: { type: 'sum', property: 'tokens' },
  });
  const config = { model: 'unit', unitPrice: 0.00001, currency: 'USD' };
  const price = await post('/v1/prices', { name: 'Tokens', metricId, config, cadence: 'usage_based' });
  const { id: planId } = await post('/v1/plans', { name: 'Usage', prices: [price.id] });
  const subscribe = async (name) => {
    const { id: customerId } = await post('/v1/customers', { name });
    const { id } = await post('/v1/subscriptions', { customerId, planId });
    return { customerId, id };
  };
  const [few, many] = [await subscribe('Few'), await subscribe('Many')];
  await call('POST', '/v1/sandbox/clock/advance', { to: '2026-01-31T00:00:00Z' });
  const counts = { few: invoiceEvents / 100, many: invoiceEvents };
  await use(post, few.customerId, counts.few);
  await use(post, many.customerId, counts.many);

  // The first measurement waits until the meter has counted everything; that is the meter's bench and not this one.
  const compute = ({ id }) => post(`/v1/subscriptions/${id}/invoices/compute`);
  await compute(many);
  const times = { few: [], many: [] };
  for (let i = 0; i < 30; i++) {
    times.few.push(await millisOf(() => compute(few)));
    times.many.push(await millisOf(() => compute(many)));
  }
  // The first invoice that a process issues is made by code that has never run; the second is what invoices cost.
  const issue = ({ id }) => millisOf(() => post(`/v1/subscriptions/${id}/invoices`));
  const first = await issue(few);
  const issued = await issue(many);
  const [base, ours] = [quantiles(times.few), quantiles(times.many)];
  // Twice is what two runs of the same can differ by.
  const passed = ours.p50 <= requiredMillis && issued <= requiredMillis && ours.p50 <= base.p50 * 2;
  return [
    {
      name: `invoice of a month with ${counts.many.toLocaleString('en-US')} events`,
      value: Math.round(ours.p50 * 10) / 10,
      unit: `ms, issued in ${Math.round(issued)} ms`,
      baseline: {
        name: `with ${counts.few.toLocaleString('en-US')} events`,
        value: Math.round(base.p50 * 10) / 10,
      },
      ratio: ours.p50 / base.p50,
      required: `<= ${requiredMillis} ms, no slower`,
      millis: ours,
      issuedMillis: { first, issued },
      passed,
    },
  ];
}

/** Events spread over the month. */
async function use(post, customerId, count) {
  const first = Date.parse('2026-01-01T00:00:00Z');
  const span = 30 * 86_400_000;
  await concurrently(Math.ceil(count / perRequest), 8, async (i) => {
    const size = Math.min(perRequest, count - i * perRequest);
    const events = Array.from({ length: size }, (_, n) => {
      const number = i * perRequest + n;
      return {
        customerId,
        eventName: 'llm.request',
        timestamp: new Date(first + Math.floor((span * number) / count)).toISOString(),
        idempotencyKey: `${customerId}-${number}`,
        properties: { tokens: number % 1_000 },
      };
    });
    const { rejected } = await post('/v1/events', events);
    if (rejected?.length > 0) throw new Error(`usage was rejected: ${JSON.stringify(rejected[0])}`);
  });
}

async function millisOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
