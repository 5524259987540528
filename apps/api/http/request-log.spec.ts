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
    for (const url of ['/v1/customers/a?x=1', '/i/secret', '/auth/invitation/secret', '/nowhere'])
      await fastify.inject(url);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info GET /v1/customers/:id 200',
      'error GET /i/:token 500',
      'info GET /auth/invitation/:token 404',
      'info GET /nowhere 404',
    ]);
    expect(lines[0]!.line).toMatchObject({ method: 'GET', path: '/v1/customers/a', status: 200 });
    expect(JSON.stringify(lines)).not.toContain('secret');
    await fastify.close();
  });
});
