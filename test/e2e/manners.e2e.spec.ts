import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { clientOf, startSystem, type System } from '../support/index.js';
import { untilReady } from '../support/until-ready.js';

/** One with settings of a test's own. */
describe('with settings of its own,', () => {
  let system: System | undefined;
  afterEach(async () => {
    await system?.stop();
    system = undefined;
  });

  describe('rate limits', () => {
    it('answers 429 with Retry-After beyond the limit of one credential, and leaves others and health alone', async () => {
      system = await startSystem({ RATE_LIMIT_PER_SECOND: '5' });
      const [one, other] = [await system.workspace(), await system.workspace()];
      // So many that some are refused, even if a slow machine takes several seconds for them.
      const answers = await Promise.all(Array.from({ length: 40 }, () => one.http.get('/v1/customers')));
      const limited = answers.filter(({ status }) => status === 429);
      expect(limited.length).toBeGreaterThanOrEqual(2);
      expect(limited[0]!.body).toMatchObject({ code: 'rate_limited', requestId: expect.any(String) });
      expect(Number(limited[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      await other.http.get('/v1/customers').expect(200);
      // The same key in a header of another form each time is the same key.
      const written = (n: number) =>
        clientOf(system!.url, {
          authorization: `${n % 2 ? 'Bearer' : 'bearer'}${' '.repeat(n + 1)}${other.apiKey}`,
        });
      const rewritten = await Promise.all(
        Array.from({ length: 40 }, (_, n) => written(n).get('/v1/customers')),
      );
      expect(rewritten.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(2);
      for (let n = 0; n < 12; n++) await clientOf(system.url).get('/v1/health').expect(200);
    });
  });

  describe('the limit of sign-ins', () => {
    it('holds in whatever way the address is written', async () => {
      system = await startSystem({ AUTH_RATE_LIMIT_PER_MINUTE: '3' });
      const login = (path: string) =>
        clientOf(system!.url).post(path, { email: 'a@b.example', password: 'x' });
      const answers = [];
      for (let n = 0; n < 6; n++) answers.push((await login('/v1/%61uth/login')).status);
      expect(answers.slice(0, 3)).not.toContain(429);
      expect(answers.slice(3)).toEqual([429, 429, 429]);
    });
  });

  describe('the limit of one address', () => {
    const statuses = async (requests: Promise<{ status: number }>[]) =>
      (await Promise.all(requests)).map(({ status }) => status);

    it('holds for credentials that are not valid, however many, and leaves those alone that are', async () => {
      system = await startSystem({ RATE_LIMIT_PER_SECOND: '5' });
      const { url } = system;
      const one = await system.workspace();
      await one.http.get('/v1/customers').expect(200);
      const guesses = await statuses(
        Array.from({ length: 60 }, (_, n) =>
          clientOf(url, { 'x-api-key': `svc_guess${n}` }).get('/v1/customers'),
        ),
      );
      expect(new Set(guesses)).toEqual(new Set([401, 429]));
      // Nobody looks at a credential there.
      const readers = await statuses(
        Array.from({ length: 60 }, (_, n) =>
          clientOf(url, { 'x-api-key': `svc_reader${n}` }).get('/v1/openapi.json'),
        ),
      );
      expect(readers).toContain(429);
      await one.http.get('/v1/customers').expect(200);
    });

    it('is that of the client where a proxy is trusted to name it, and of nobody else’s naming', async () => {
      const answersOf = async (env: Record<string, string>) => {
        system = await startSystem({ RATE_LIMIT_PER_SECOND: '5', ...env });
        const { url } = system;
        const answers = await statuses(
          Array.from({ length: 60 }, (_, n) =>
            clientOf(url, { 'x-forwarded-for': `203.0.113.${n}` }).get('/v1/customers'),
          ),
        );
        await system.stop();
        system = undefined;
        return new Set(answers);
      };
      expect(await answersOf({})).toEqual(new Set([401, 429]));
      expect(await answersOf({ TRUST_PROXY: 'loopback' })).toEqual(new Set([401]));
    });
  });

  describe('a write while no projector runs', () => {
    it('is acknowledged after a bounded wait and says that reads may be behind', async () => {
      system = await startSystem({ READ_YOUR_WRITES_MS: '100' });
      const { http } = await system.workspace();
      await system.projector.close();
      const { body, headers } = await http.post('/v1/customers', { id: 'a', name: 'A' }).expect(201);
      expect(body).toMatchObject({ id: 'a', name: 'A' });
      expect(headers['read-models']).toBe('behind');
      await http.get('/v1/customers/a').expect(404);
    });
  });
});

// A system takes a second to start.
describe('with one system for all,', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem();
  });
  afterAll(async () => system?.stop());

  describe('answers', () => {
    it('carry a request id of their own, also when they are errors', async () => {
      const client = clientOf(system.url);
      const [a, b] = await Promise.all([client.get('/v1/health'), client.get('/v1/customers')]);
      expect(a.headers['x-request-id']).toMatch(/^[0-9A-Z]{26}$/);
      expect(b.status).toBe(401);
      expect(b.body.requestId).toBe(b.headers['x-request-id']);
      expect(a.headers['x-request-id']).not.toBe(b.headers['x-request-id']);
    });

    it('are not taken for anything but what they say they are', async () => {
      const client = clientOf(system.url);
      for (const path of [
        '/v1/health',
        '/v1/customers',
        '/nothing',
        '/docs',
        '/%',
        `/v1/customers/${'x'.repeat(600)}`,
      ])
        expect((await client.get(path)).headers['x-content-type-options']).toBe('nosniff');
    });
  });

  describe('a body', () => {
    const NOT_JSON = 'Bodies are JSON: send Content-Type: application/json';

    it('of another kind than JSON is refused in the same words, whatever its kind', async () => {
      const { http } = await system.workspace();
      for (const kind of ['text/plain', 'text/json', 'application/xml', 'multipart/form-data', 'x', ' ']) {
        const sent = http.post('/v1/customers').set('content-type', kind);
        const { status, body } = await sent.send('{"name":"A"}');
        expect([kind, status, body.code, body.error]).toEqual([
          kind,
          415,
          'unsupported_media_type',
          NOT_JSON,
        ]);
      }
      await http.post('/v1/nothing').set('content-type', 'text/plain').send('x').expect(404);
    });

    it('in an encoding is refused, and taken as it is', async () => {
      const { url } = system;
      const { accessToken } = await system.workspace();
      const json = '{"name":"A"}';
      const answerTo = async (encoding: string, body: string | Buffer<ArrayBuffer>) => {
        const headers = {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          'content-encoding': encoding,
        };
        const answer = await fetch(`${url}/v1/customers`, { method: 'POST', headers, body });
        return [answer.status, ((await answer.json()) as { error?: string }).error];
      };
      const refused = [415, 'Bodies are taken as they are, without encoding: leave out Content-Encoding'];
      expect(await answerTo('gzip', gzipSync(json))).toEqual(refused);
      expect(await answerTo('br', brotliCompressSync(json))).toEqual(refused);
      expect(await answerTo('br', json)).toEqual(refused);
      expect(await answerTo('identity, gzip', json)).toEqual(refused);
      expect(await answerTo('Identity', json)).toEqual([201, undefined]);
    });
  });

  describe('a query', () => {
    it('with a parameter that the request does not have is refused, whatever the request', async () => {
      const { session, http } = await system.workspace();
      await http.post('/v1/customers', { id: 'a', name: 'A' }).expect(201);
      const requests = [
        session.get('/v1/users/me?zzz=1'),
        http.get('/v1/sandbox/clock?zzz=1'),
        http.get('/v1/billing-settings?zzz=1'),
        http.get('/v1/customers/a?zzz=1'),
        http.post('/v1/customers?zzz=1', { name: 'B' }),
        http.delete('/v1/customers/a?zzz=1'),
        http.post('/v1/events?zzz=1', []),
        clientOf(system.url).post('/v1/auth/login?zzz=1', { email: 'a@b.example', password: 'x' }),
      ];
      for (const { body, status } of await Promise.all(requests)) {
        const message = 'is not a parameter of this request, which takes none';
        expect([status, body.code, body.details]).toEqual([
          400,
          'validation_failed',
          [{ field: 'zzz', message }],
        ]);
      }
      expect((await http.get('/v1/customers?zzz=1').expect(400)).body.details).toMatchObject([
        { field: 'zzz' },
      ]);
      for (const name of ['constructor', '__proto__', 'prototype', 'toString'])
        expect((await http.get(`/v1/customers?${name}=1`).expect(400)).body).toMatchObject({
          code: 'validation_failed',
          details: [{ field: name, message: 'is not a parameter of this request' }],
        });
      await clientOf(system.url).get('/v1/health?zzz=1&zzz=2').expect(200);
      await untilReady(() => clientOf(system.url).get('/v1/health/ready?zzz=1'));
    });

    it.each([
      ['behind a number sign', '/v1/auth/login#zzz=1'],
      ['of a whole address', 'http://x/v1/auth/login?zzz=1'],
    ])('is refused for a parameter %s, where none is taken', async (_, target) => {
      const credentials = '{"email":"a@b.example","password":"x"}';
      const [head, body] = await rawAnswer(
        system,
        `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${credentials.length}\r\n\r\n${credentials}`,
      );
      expect(head).toMatch(/^HTTP\/1.1 400 /);
      expect(JSON.parse(body)).toMatchObject({ code: 'validation_failed', details: [{ field: 'zzz' }] });
    });

    it('with a parameter twice is refused', async () => {
      const { http } = await system.workspace();
      const message = 'must be given once';
      for (const query of ['limit=5&limit=6', 'limit=5&limit=5']) {
        const { body } = await http.get(`/v1/customers?${query}`).expect(400);
        expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: 'limit', message }] });
      }
      const { body } = await http.get('/v1/invoices?status=draft&status=open').expect(400);
      expect(body.details).toEqual([{ field: 'status', message }]);
    });
  });

  describe('what is no HTTP', () => {
    it.each([
      ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
      ['a wrong length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400, 'bad_request'],
      [
        'a wrong chunk',
        'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        400,
        'bad_request',
      ],
      [
        'headers that are too large',
        `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
        431,
        'headers_too_large',
      ],
    ])('is answered as every error is: %s', async (_, request, status, code) => {
      const [head, body] = await rawAnswer(system, request);
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      const answer = JSON.parse(body) as { requestId: string };
      expect(answer).toEqual({
        error: expect.any(String),
        code,
        requestId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      });
      expect(head).toContain(`X-Request-Id: ${answer.requestId}`);
      expect(head).toContain('X-Content-Type-Options: nosniff');
    });
  });
});

/** The head and the body of the answer to a request as it is written here. */
async function rawAnswer(system: System, request: string): Promise<[head: string, body: string]> {
  const client = connect((system.api.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  client.write(request);
  return (await text(client)).split('\r\n\r\n') as [string, string];
}
