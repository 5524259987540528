import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Why nothing could listen on the port now, or undefined when it could: `EADDRINUSE` when somebody else does. */
export async function portProblem(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return listenOnce(port, host).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
}

/** Below what systems give to outgoing connections (Linux from 32768, others from 49152): of those, one can be gone before it is used. */
const CHOSEN = { from: 10_000, to: 32_000 };
const MAX_TRIES = 100;

/** The first of `preferred` that is free, else any free port, on loopback. */
export async function freePort(...preferred: number[]): Promise<number> {
  const chosen = Array.from({ length: MAX_TRIES }, () => randomInt(CHOSEN.from, CHOSEN.to));
  for (const port of [...preferred, ...chosen])
    if (port <= 65_535 && !(await portProblem(port, '127.0.0.1'))) return port;
  return listenOnce(0, '127.0.0.1');
}

/** Listens for a moment, and resolves with the port. */
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
