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
      ...['/v1/customers/a?x=1', '/i/secret', '/auth/invitation/secret', '/nowhere', '/busy', '/away'],
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
});
