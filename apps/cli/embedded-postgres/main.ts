/**
 * The process that keeps an embedded Postgres server: it starts it, says when it is ready, stops it in an orderly way
 * on SIGTERM or when the process that started it is gone, and ends when the server does.
 *
 * Arguments: folder of the cluster, port, then server settings as `name=value`. POSTGRES_PASSWORD is the password.
 */
import { exitProcess, whenParentIsGone } from '#libs/kernel/runtime';
import { Cluster } from './cluster.js';
import { startServer } from './server.js';

const [folder, port, ...settings] = process.argv.slice(2);
const password = process.env['POSTGRES_PASSWORD'];
if (!folder || !port || !password)
  throw new Error('usage: POSTGRES_PASSWORD=… main.js <folder> <port> [name=value …]');

const ending = new AbortController();
const starting = Cluster.open(folder, password, ending.signal).then((cluster) =>
  startServer(cluster, Number(port), password, settings),
);
let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  // A cluster that is still being made must not come to stand where the next start makes its own.
  ending.abort();
  void starting.then((server) => server.stop()).finally(() => exitProcess(0));
};

// Heeded while the server is still starting too: it must not be left behind.
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
whenParentIsGone(stop);

try {
  const server = await starting;
  process.stdout.write(
    `${JSON.stringify({ event: 'listening', service: 'postgres', port: Number(port) })}\n`,
  );
  await server.ended;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
if (!stopping) exitProcess(1);
