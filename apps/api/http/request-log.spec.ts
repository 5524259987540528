import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import type { Logger } from '#libs/kernel/system';
import { useRequestLog } from './request-log.js';

describe('the log of requests', () => {
  it('says method, route and status in its message, and no secret of a link', async () => {
    const lines: { level: string; line: object; message: string }[] = [];
    const at = (level: string) => (line: object, message: string) => lines.push({ level, line, message });
    const fastify = Fastify();
    useRequestLog(fastify, { info: at('info'), error: at('error') } as unknown as Logger);
    fastify.get('/v1/customers/:id', () => ({}));
    fastify.get('/i/:token', async (_, reply) => reply.status(500).send());
    fastify.get('/busy', async (_, reply) => reply.status(503).header('Retry-After', 1).send());
    fastify.get('/away', async (_, reply) => reply.status(503).send());
    for (const url of [
      '/v1/customers/a?x=1',
      '/i/secret',
      '/auth/invitation/secret',
      '/nowhere',
      '/busy',
      '/away',
    ])
      await fastify.inject(url);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info GET /v1/customers/:id 200',
      'error GET /i/:token 500',
      'info GET /auth/invitation/:token 404',
      'info GET /nowhere 404',
      'info GET /busy 503',
      'error GET /away 503',
    ]);
    expect(lines[0]!.line).toMatchObject({ method: 'GET', path: '/v1/customers/a', status: 200 });
    expect(JSON.stringify(lines)).not.toContain('secret');
    await fastify.close();
  });

  it('has one line for a body that fails after its head, and none for a client that goes away', async () => {
    const lines: { level: string; line: object; message: string }[] = [];
    const at = (level: string) => (line: object, message: string) => lines.push({ level, line, message });
    const fastify = Fastify();
    useRequestLog(fastify, { info: at('info'), warn: at('warn') } as unknown as Logger);
    const left = Promise.withResolvers<void>();
    fastify.get('/file', (_, reply) => reply.send(Readable.from(failing(), { objectMode: false })));
    fastify.get('/long', (_, reply) => reply.send(Readable.from(endless(left), { objectMode: false })));
    const url = await fastify.listen({ host: '127.0.0.1', port: 0 });
    const cut = await fetch(`${url}/file?secret=1`);
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow('terminated');
    const client = new AbortController();
    await fetch(`${url}/long`, { signal: client.signal });
    client.abort();
    await left.promise;
    await fastify.close();
    expect(lines).toEqual([
      {
        level: 'warn',
        line: expect.objectContaining({ path: '/file', status: 200, error: 'The file was removed' }),
        message: 'GET /file 200, cut off',
      },
    ]);
  });
});

async function* failing(): AsyncGenerator<string> {
  yield 'the first part';
  // The head is sent with the first part.
  await setImmediate();
  throw new Error('The file was removed');
}

/** Resolves `left` when nobody reads any more. */
async function* endless(left: PromiseWithResolvers<void>): AsyncGenerator<string> {
  try {
    for (;;) {
      yield 'a part';
      await setImmediate();
    }
  } finally {
    left.resolve();
  }
}
