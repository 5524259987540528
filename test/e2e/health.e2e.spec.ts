import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EventFeed } from '#libs/kernel/event-store';
import { clientOf, startSystem, type Client, type System } from '../support/index.js';
import { untilReady } from '../support/until-ready.js';

let system: System;
let client: Client;

beforeAll(async () => {
  system = await startSystem();
  client = clientOf(system.url);
});
afterAll(async () => system?.stop());

describe('health', () => {
  it('says that the process runs', async () => {
    const { body } = await client.get('/v1/health').expect(200);
    expect(body).toEqual({ status: 'ok' });
  });

  it('is ready when Postgres, the event store and the read models answer', async () => {
    const { body } = await untilReady(() => client.get('/v1/health/ready'));
    expect(body).toEqual({
      status: 'ok',
      checks: {
        postgres: { status: 'ok' },
        eventStore: { status: 'ok' },
        readModels: { status: 'ok' },
      },
    });
  });
});

describe('readiness that many ask for at once', () => {
  it('is looked at once: anybody may ask, and each look costs every part something', async () => {
    const heads = jest.spyOn(system.api.get(EventFeed), 'readHead');
    // The time for which an answer is shared does not pass, however long fifty requests take on a busy machine.
    const now = process.hrtime.bigint();
    const clock = jest.spyOn(process.hrtime, 'bigint').mockReturnValue(now);
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.get('/v1/health/ready')));
    clock.mockRestore();
    // They are told the same, though a slow machine can make that one look come to nothing.
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    // A look asks twice. The last look may still be young enough, and then there is none.
    expect(heads.mock.calls.length).toBeLessThanOrEqual(2);
    heads.mockRestore();
  });
});

describe('the address of the API itself', () => {
  it('leads to the documentation, which says nothing of it', async () => {
    const { headers } = await client.get('/').expect(302);
    expect(headers['location']).toBe('/docs');
    const { body } = await client.get('/v1/openapi.json').expect(200);
    expect(Object.keys(body.paths)).not.toContain('/');
  });
});

describe('what is not there', () => {
  it('answers an unknown path with 404 in the shape of every error', async () => {
    const { body, headers } = await client.get('/v1/nothing').expect(404);
    expect(body).toEqual({
      error: 'No endpoint GET /v1/nothing',
      code: 'not_found',
      requestId: headers['x-request-id'],
    });
  });

  it('serves the OpenAPI document and the reference', async () => {
    const { body } = await client.get('/v1/openapi.json').expect(200);
    expect(body).toMatchObject({
      openapi: expect.stringMatching(/^3\./),
      paths: { '/v1/customers': { post: {} } },
    });
    await client.get('/docs').expect(200).expect('content-type', /html/);
  });
});
