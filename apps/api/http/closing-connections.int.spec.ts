import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { endConnectionsWhenClosing } from './closing-connections.js';

describe('endConnectionsWhenClosing', () => {
  it('answers what is in flight, and closes without waiting for its kept-alive connection to idle out', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const fastify = Fastify({ forceCloseConnections: 'idle', keepAliveTimeout: 600_000 });
    endConnectionsWhenClosing(fastify);
    fastify.get('/slow', async () => {
      arrive();
      await held;
      return 'done';
    });
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    const client = connect((fastify.server.address() as AddressInfo).port, '127.0.0.1');
    let answer = '';
    client.on('data', (chunk) => (answer += chunk.toString()));
    client.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;

    const { promise: idleEnded, resolve: idleEnds } = Promise.withResolvers<void>();
    const endIdle = fastify.server.closeIdleConnections.bind(fastify.server);
    fastify.server.closeIdleConnections = () => {
      endIdle();
      idleEnds();
    };
    const closed = fastify.close();
    const ended = once(client, 'end');
    await idleEnded;
    release();
    await Promise.all([closed, ended]);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*connection: close\r\n[^]*done$/);
  });
});
