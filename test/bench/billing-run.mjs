// A month's end of many subscriptions with three usage prices each, from the first timer until all is quiet, beside the
// appends that it made: the same events once more, each to a stream of its own, by the official client alone.
import { EventStoreDBClient, jsonEvent, START } from '@eventstore/db-client';
import { concurrently } from './concurrently.mjs';

const required = 0.3;
const metrics = ['requests', 'context_tokens', 'generated_tokens'];

export async function benchBillingRun(stack, { subscriptions }) {
  const { call, post } = await stack.workspace('billing');
  await call('PUT', '/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' });
  const prices = [];
  for (const [i, name] of metrics.entries()) {
    const aggregation = i === 0 ? { type: 'count' } : { type: 'sum', property: name };
    const { id: metricId } = await post('/v1/metrics', { name, eventName: 'llm.request', aggregation });
    const config = { model: 'unit', unitPrice: 0.01, currency: 'USD' };
    prices.push((await post('/v1/prices', { name, metricId, config, cadence: 'usage_based' })).id);
  }
  const { id: planId } = await post('/v1/plans', { name: 'Usage', prices });
  const customers = await concurrently(subscriptions, 16, async (i) => {
    const { id: customerId } = await post('/v1/customers', { name: `Customer ${i}` });
    await post('/v1/subscriptions', { customerId, planId });
    return customerId;
  });
  await call('POST', '/v1/sandbox/clock/advance', { to: '2026-01-15T00:00:00Z' });
  await use(post, customers);

  const client = EventStoreDBClient.connectionString(stack.eventStoreUrl);
  try {
    const before = await head(client);
    const started = performance.now();
    await call('POST', '/v1/sandbox/clock/advance', { to: '2026-02-01T00:00:00Z' });
    const seconds = (performance.now() - started) / 1_000;
    const events = await since(client, before);
    const { pagination } = await call('GET', '/v1/invoices?page_size=1');
    const bareSeconds = await appendAgain(client, events);
    const ratio = bareSeconds / seconds;
    const lines = pagination.total * metrics.length;
    return [
      {
        name: `billing run, ${subscriptions.toLocaleString('en-US')} subscriptions with 3 prices`,
        value: Math.round(subscriptions / seconds),
        unit: 'subscriptions/s',
        baseline: {
          name: `its ${events.length} appends alone`,
          value: Math.round(subscriptions / bareSeconds),
        },
        ratio,
        required: `ratio >= ${required}`,
        seconds,
        appends: events.length,
        linesPerSecond: Math.round(lines / seconds),
        passed: ratio >= required && pagination.total === subscriptions,
        ...(pagination.total === subscriptions ? {} : { invoices: pagination.total }),
      },
    ];
  } finally {
    await client.dispose();
  }
}

/** Ten events of each customer. */
async function use(post, customers) {
  const perRequest = 50;
  await concurrently(Math.ceil(customers.length / perRequest), 8, async (i) => {
    const events = customers.slice(i * perRequest, (i + 1) * perRequest).flatMap((customerId) =>
      Array.from({ length: 10 }, (_, n) => ({
        customerId,
        eventName: 'llm.request',
        timestamp: `2026-01-${String(5 + n).padStart(2, '0')}T12:00:00Z`,
        idempotencyKey: `${customerId}-${n}`,
        properties: { context_tokens: 1_000 + n, generated_tokens: 100 + n },
      })),
    );
    const { rejected } = await post('/v1/events', events);
    if (rejected?.length > 0) throw new Error(`usage was rejected: ${JSON.stringify(rejected[0])}`);
  });
}

async function head(client) {
  let last = START;
  for await (const { event } of client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }))
    if (event) last = event.position;
  return last;
}

/** The events after a position; what is not the product's is left out. */
async function since(client, position) {
  const events = [];
  for await (const { event } of client.readAll({ fromPosition: position }))
    if (event && event.position.commit > position.commit && !event.streamId.startsWith('$'))
      events.push(event);
  return events;
}

/** Under names that nobody listens to: without what came before them, read models would take them for a broken log, and stop. */
async function appendAgain(client, events) {
  const started = performance.now();
  await concurrently(events.length, 256, (i) => {
    const { type, data, metadata } = events[i];
    // A schema version says that an event is ours.
    const again = jsonEvent({ type: `${type}Again`, data, metadata: { ...metadata, schemaVersion: null } });
    return client.appendToStream(`again-${process.pid}-${i}`, [again]);
  });
  return (performance.now() - started) / 1_000;
}
