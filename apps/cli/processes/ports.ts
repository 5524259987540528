import { createServer } from 'node:net';

/** Whether nobody listens on the port. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listenOnce(port, host)) !== undefined;
}

/** The first of `preferred` that is free, else any free port, on loopback. */
export async function freePort(...preferred: number[]): Promise<number> {
  for (const port of [...preferred, 0]) {
    const found = await listenOnce(port, '127.0.0.1');
    if (found !== undefined) return found;
  }
  throw new Error('There is no free port on 127.0.0.1');
}

function listenOnce(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
