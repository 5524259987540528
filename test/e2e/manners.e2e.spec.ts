import { afterEach, describe, expect, it } from '@jest/globals';
import { clientOf, startSystem, type System } from '../support/index.js';

let system: System | undefined;
afterEach(async () => {
  await system?.stop();
  system = undefined;
});

describe('rate limits', () => {
  it('answers 429 with Retry-After beyond the limit of one credential, and leaves others and health alone', async () => {
    system = await startSystem({ RATE_LIMIT_PER_SECOND: '5' });
    const [one, other] = [await system.workspace(), await system.workspace()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => one.http.get('/v1/customers')));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThanOrEqual(2);
    expect(limited[0]!.body).toMatchObject({ code: 'rate_limited', requestId: expect.any(String) });
    expect(Number(limited[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    await other.http.get('/v1/customers').expect(200);
    for (let n = 0; n < 12; n++) await clientOf(system.url).get('/v1/health').expect(200);
  });
});

describe('the limit of sign-ins', () => {
  it('holds in whatever way the address is written', async () => {
    system = await startSystem({ AUTH_RATE_LIMIT_PER_MINUTE: '3' });
    const login = (path: string) => clientOf(system!.url).post(path, { email: 'a@b.example', password: 'x' });
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

describe('answers', () => {
  it('carry a request id of their own, also when they are errors', async () => {
    system = await startSystem();
    const client = clientOf(system.url);
    const [a, b] = await Promise.all([client.get('/v1/health'), client.get('/v1/customers')]);
    expect(a.headers['x-request-id']).toMatch(/^[0-9A-Z]{26}$/);
    expect(b.status).toBe(401);
    expect(b.body.requestId).toBe(b.headers['x-request-id']);
    expect(a.headers['x-request-id']).not.toBe(b.headers['x-request-id']);
  });

  it('are not taken for anything but what they say they are', async () => {
    system = await startSystem();
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
