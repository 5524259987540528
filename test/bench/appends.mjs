// Appends to the embedded node through the official client, beside the same client and gRPC server with no storage. The two
// take turns.
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startServer } from './child.mjs';
import { startNodeAlone } from './node-alone.mjs';
import { quantiles } from './quantiles.mjs';

const cases = [
  { name: 'appends of 1 event, 256 in flight', events: 1, inFlight: 256, required: 0.7 },
  { name: 'appends of 50 events, 16 in flight', events: 50, inFlight: 16, required: 0.6 },
];

export async function benchAppends({ databaseUrl }, { seconds, rounds, warmUpSeconds }) {
  const bare = await startServer('baseline-node.mjs');
  const node = await startNodeAlone(databaseUrl, 'appends');
  const clients = {
    ours: EventStoreDBClient.connectionString(node.eventStoreUrl),
    bare: EventStoreDBClient.connectionString(`esdb://127.0.0.1:${bare.port}?tls=false`),
  };
  const results = [];
  try {
    for (const one of cases) {
      const rates = { ours: [], bare: [] };
      for (let round = 0; round <= rounds; round++)
        for (const target of ['ours', 'bare']) {
          const rate = await run(clients[target], one, round === 0 ? warmUpSeconds : seconds);
          if (round > 0) rates[target].push(rate);
        }
      const [ours, other] = [median(rates.ours), median(rates.bare)];
      const ratio = ours.perSecond / other.perSecond;
      results.push({
        name: one.name,
        value: Math.round(ours.perSecond),
        unit: 'events/s',
        baseline: { name: 'the same gRPC server, nothing stored', value: Math.round(other.perSecond) },
        ratio,
        required: `ratio >= ${one.required}`,
        millis: ours.millis,
        passed: ratio >= one.required,
      });
    }
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.dispose()));
    bare.stop();
    await node.stop();
  }
  return results;
}

/** Appends to many streams, each worker one append at a time, for `seconds`. */
export async function run(client, { events, inFlight }, seconds) {
  const end = performance.now() + seconds * 1_000;
  const millis = [];
  const started = performance.now();
  const worker = async () => {
    while (performance.now() < end) {
      const stream = `bench-${randomUUID()}`;
      const batch = Array.from({ length: events }, sample);
      const sent = performance.now();
      await client.appendToStream(stream, batch);
      millis.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const elapsed = (performance.now() - started) / 1_000;
  return { perSecond: (millis.length * events) / elapsed, millis: quantiles(millis) };
}

/** As large as the product's own events are: some 250 bytes of data, some 300 of metadata. */
function sample() {
  const actor = {
    type: 'api_key',
    id: 'key_01JD3B9YQ6ZKXW4M8N2P5R7T0V',
    workspaceId: 'acc_01JD3B9YQ6ZKXW4M8N2P5R7T0V',
  };
  return jsonEvent({
    type: 'BenchEvent',
    data: {
      customerId: 'cust_01JD3B9YQ6ZKXW4M8N2P5R7T0V',
      invoiceId: 'inv_01JD3B9YQ6ZKXW4M8N2P5R7T0V',
      amount: '1234.56',
      currency: 'USD',
      period: { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' },
    },
    metadata: {
      workspaceId: actor.workspaceId,
      commandId: randomUUID(),
      correlationId: randomUUID(),
      actor,
      schemaVersion: 1,
    },
  });
}

function median(runs) {
  return [...runs].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)];
}
