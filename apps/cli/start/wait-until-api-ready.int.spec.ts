import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntilApiReady } from './wait-until-api-ready.js';

const ok = { status: 'ok' };
const gone = { status: 'unavailable', message: 'not reachable' };

describe('untilReady', () => {
  const { signal } = new AbortController();
  let server: Server;
  let url: string;
  let answers: Record<string, typeof ok>[];

  beforeEach(async () => {
    answers = [];
    server = createServer((_, response) => {
      const checks = answers.length > 1 ? answers.shift()! : answers[0]!;
      const ready = Object.values(checks).every(({ status }) => status === 'ok');
      response.writeHead(ready ? 200 : 503).end(JSON.stringify({ checks }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('waits until everything answers', async () => {
    const ready = { postgres: ok, eventStore: ok, readModels: ok };
    answers = [{ ...ready, eventStore: gone, readModels: gone }, { ...ready, readModels: gone }, ready];
    expect(await waitUntilApiReady(url, signal)).toBe(true);
    expect(answers).toEqual([ready]);
  });

  it('names what cannot be reached, and its setting', async () => {
    answers = [{ postgres: ok, eventStore: gone, readModels: gone }];
    await expect(waitUntilApiReady(url, signal, 0)).rejects.toThrow(
      'The API is not ready: eventStore (not reachable); check EVENTSTORE_URL',
    );
  });

  it('resolves to false if only the read models are behind', async () => {
    answers = [{ postgres: ok, eventStore: ok, readModels: gone }];
    expect(await waitUntilApiReady(url, signal, 0)).toBe(false);
  });

  it('ends when it is told to stop', async () => {
    answers = [{ postgres: gone, eventStore: gone, readModels: gone }];
    await expect(waitUntilApiReady(url, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
