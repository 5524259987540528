// The least that could be done with a log: reads it from the first event to the last by the official client, in a process
// of its own, and does nothing.
//
//   node read-log.mjs <event store URL>    prints { events, seconds }
import { EventStoreDBClient, START } from '@eventstore/db-client';

const client = EventStoreDBClient.connectionString(process.argv[2]);
const started = performance.now();
let events = 0;
for await (const { event } of client.readAll({ fromPosition: START }))
  if (event && !event.streamId.startsWith('$')) events += 1;
const seconds = (performance.now() - started) / 1_000;
await client.dispose();
process.stdout.write(`${JSON.stringify({ events, seconds })}\n`);
