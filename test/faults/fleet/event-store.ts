// What TEST_EVENTSTORE_COMMAND starts, as a program of the fleet: it says when it is ready, and ends when it is asked to.
//
//   node event-store.ts <port> <folder>
import { mkdir } from 'node:fs/promises';
import { StoreProcess } from '../../support/store-process.ts';

const [port, folder] = process.argv.slice(2) as [string, string];
await mkdir(folder, { recursive: true });
const store = new StoreProcess(folder, Number(port));
await store.start();
process.on('SIGTERM', () => void store.end('SIGTERM'));
process.on('disconnect', () => void store.end('SIGTERM'));
process.stdout.write(
  `${JSON.stringify({ event: 'listening', service: 'eventstore', port: Number(port) })}\n`,
);
process.exit((await store.ended()) ?? 1);
