import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Returns the error of listening on a port, such as `EADDRINUSE` if the port is in use. Returns undefined if the port is free. */
export async function findPortError(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return listenOnce(port, host).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
}

/**
 * The range of random ports. The range is below the ports of outgoing connections (Linux from 32768, others from 49152), which can be in
 * use at any time.
 */
const RANDOM_PORT_RANGE = { from: 10_000, to: 32_000 };
const MAX_TRIES = 100;

/** Returns the first of the `preferred` ports that is free on loopback, or else any free port. */
export async function findFreePort(...preferred: number[]): Promise<number> {
  const chosen = Array.from({ length: MAX_TRIES }, () =>
    randomInt(RANDOM_PORT_RANGE.from, RANDOM_PORT_RANGE.to),
  );
  for (const port of [...preferred, ...chosen])
    if (port <= 65_535 && !(await findPortError(port, '127.0.0.1'))) return port;
  return listenOnce(0, '127.0.0.1');
}

/** Listens on a port for a moment, and resolves with the port's number. */
function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
