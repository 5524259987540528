/**
 * The process that runs an embedded Postgres server. The process starts the server and reports when the server is ready. On SIGTERM, or
 * when the parent process has ended, this process stops the server in an orderly way. The process ends when the server ends.
 *
 * Arguments: the folder of the cluster, the port, then server settings as `name=value`. POSTGRES_PASSWORD is the owner's password.
 */
import { exitProcess, logListening, onParentExit } from '#libs/kernel/runtime';
import { createLogger } from '#libs/kernel/system';
import { PostgresCluster } from './cluster.js';
import { startServer } from './server.js';

const [folder, port, ...settings] = process.argv.slice(2);
const password = process.env['POSTGRES_PASSWORD'];
if (!folder || !port || !password)
  throw new Error('usage: POSTGRES_PASSWORD=… embedded-postgres.js <folder> <port> [name=value …]');

const SERVICE = 'postgres';
const logger = createLogger(SERVICE, 'info');
const ending = new AbortController();
const starting = PostgresCluster.open(folder, password, ending.signal).then((cluster) =>
  startServer(cluster, Number(port), password, settings, logger),
);
let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  // A cluster that is being created must be discarded too. Otherwise it could collide with the cluster of the next start.
  ending.abort();
  void starting.then((server) => server.stop()).finally(() => exitProcess(0));
};

// Stop requests are handled while the server is still starting too, so that no server is left running.
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
onParentExit(stop);

try {
  const server = await starting;
  logListening(SERVICE, { port: Number(port) });
  await server.ended;
} catch (error) {
  createLogger(SERVICE, 'fatal').fatal(error instanceof Error ? error.message : String(error));
}
if (!stopping) exitProcess(1);
