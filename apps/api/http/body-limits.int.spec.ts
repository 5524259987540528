import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { AppError } from '#libs/kernel/core';
import { loadSettings } from '#libs/kernel/system';
import { useExactJson } from './body-parser.js';
import { requestTimeouts } from './request-timeouts.js';
import { answerUnreadableRequest } from './unreadable-requests.js';

const servers: FastifyInstance[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** A server that answers with the body that it read. */
function serverOf(options: object = {}): FastifyInstance {
  const server = Fastify({ ...options, clientErrorHandler: answerUnreadableRequest });
  servers.push(server);
  useExactJson(server, loadSettings({}));
  server.setErrorHandler((error, _, reply) =>
    reply
      .status(error instanceof AppError ? error.status : 500)
      .send({ code: error instanceof AppError ? error.code : 'internal_error' }),
  );
  for (const url of ['/v1/customers', '/v1/events', '/v1/auth/login', '/v1/gateways/stripe/events'])
    server.post(url, ({ body }) => ({ body }));
  return server;
}

describe('a body that is not UTF-8', () => {
  it.each(['/v1/customers', '/v1/events', '/v1/auth/login', '/v1/gateways/stripe/events'])(
    'is refused: %s',
    async (url) => {
      const send = (payload: Buffer) =>
        serverOf().inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json' } });
      for (const letter of ['\xe9', '\xe8', '\xff', '\xed\xa0\x80', '\xc0\xaf']) {
        const answer = await send(Buffer.from(`{"idempotencyKey":"k${letter}"}`, 'latin1'));
        expect([answer.statusCode, answer.json().code]).toEqual([400, 'body_not_utf8']);
      }
      expect((await send(Buffer.from('{"idempotencyKey":"ké \ufffd"}'))).statusCode).toBe(200);
    },
  );
});

describe('a body that is sent in part', () => {
  it('is answered with 408 and its connection is closed', async () => {
    const url = await serverOf(requestTimeouts(50)).listen({ port: 0, host: '127.0.0.1' });
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    let heard = '';
    client.on('data', (chunk) => (heard += chunk.toString()));
    client.on('error', () => undefined);
    client.write(
      'POST /v1/customers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await new Promise((resolve) => client.once('close', resolve));
    expect(heard).toMatch(/^HTTP\/1.1 408 /);
    expect(heard).toContain('request_timeout');
  });
});
