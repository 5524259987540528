// An event store node on a database of its own.
//
//   node event-store-node.mjs <database URL>    prints its port
import { startEventStoreNode } from '#apps/eventstore';

const node = await startEventStoreNode({ databaseUrl: process.argv[2], port: 0 });
process.stdout.write(`${node.port}\n`);
process.once('disconnect', () => void node.close());
