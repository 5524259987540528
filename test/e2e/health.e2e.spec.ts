import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createApiApp } from '#apps/api';
import { createSagaApp } from '#apps/saga';
import { EventFeed } from '#libs/kernel/event-store';
import { clientOf, startSystem, type Client, type System } from '../support/index.js';
import { checkSagaReady } from '../../apps/saga/readiness.js';
import { ReadinessCheck } from '../../apps/api/health/readiness-check.js';
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

  it('is ready when Postgres, the event store, the read models and Chromium answer', async () => {
    const ready = () => untilReady(() => client.get('/v1/health/ready'));
    // The first start of Chromium can take longer than a check waits.
    let { body } = await ready();
    while (body.checks.documents.status !== 'ok') ({ body } = await ready());
    expect(body).toEqual({
      status: 'ok',
      checks: {
        postgres: { status: 'ok' },
        storage: { status: 'ok' },
        eventStore: { status: 'ok' },
        readModels: { status: 'ok' },
        documents: { status: 'ok' },
      },
    });
  });

  it('says that no document can be printed, and stays ready for all else', async () => {
    const api = await createApiApp({ ...system.settings, chromePath: '/no/such/browser' });
    try {
      const report = await api.get(ReadinessCheck, { strict: false }).check();
      expect(report.checks['documents']).toEqual({
        status: 'unavailable',
        message: 'Chromium cannot be started; the log says why',
      });
      expect(report.checks['postgres']).toEqual({ status: 'ok' });
    } finally {
      await api.close();
    }
  });

  it('says of the saga that mail with documents cannot leave', async () => {
    const documents = { status: 'unavailable', message: 'Chromium cannot be started; the log says why' };
    const saga = await createSagaApp({ ...system.settings, chromePath: '/no/such/browser' });
    try {
      const mailUrl = 'smtp://127.0.0.1:9';
      expect(await checkSagaReady(saga, { mailUrl, natsUrl: undefined })).toMatchObject({
        ready: false,
        checks: { postgres: { status: 'ok' }, documents },
      });
      expect(await checkSagaReady(saga, { mailUrl: undefined, natsUrl: undefined })).toMatchObject({
        ready: true,
        checks: { documents },
      });
    } finally {
      await saga.close();
    }
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
