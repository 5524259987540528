import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { findFreePort, findPortError } from './ports.js';

it('returns a preferred free port, or else a port outside of the range of outgoing connections', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: taken } = server.address() as AddressInfo;
  try {
    expect((await findPortError(taken, '127.0.0.1'))?.code).toBe('EADDRINUSE');
    const chosen = await findFreePort(taken, 70_000);
    expect(chosen).toBeGreaterThanOrEqual(10_000);
    expect(chosen).toBeLessThan(32_768);
    expect(await findFreePort(taken, chosen)).toBe(chosen);
  } finally {
    server.close();
  }
});
