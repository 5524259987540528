import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { clientOf, startSystem, type System, type TestWorkspace } from '../support/index.js';
import { Transcript } from '../support/transcript.js';
import { untilReady } from '../support/until-ready.js';

let system: System;
let workspace: TestWorkspace;
let api: ChildProcess;
let url: string;
const output = new Transcript();

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  const { NODE_OPTIONS: _jests, ...env } = process.env;
  api = spawn(process.execPath, [join(process.cwd(), 'dist/programs/api.js')], {
    env: {
      ...env,
      PORT: '0',
      DATABASE_URL: system.settings.databaseUrl,
      EVENTSTORE_URL: system.settings.eventStoreUrl,
      JWT_SECRET: system.settings.jwtSecret,
      DRAIN_MS: '600000',
      READ_YOUR_WRITES_MS: String(system.settings.readYourWritesMillis),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  api.stdout!.on('data', (chunk: Buffer) => output.add(chunk.toString()));
  await output.until('"event":"listening"');
  const line = output.text.split('\n').find((one) => one.includes('"event":"listening"'));
  url = `http://127.0.0.1:${(JSON.parse(line!) as { port: number }).port}`;
});
afterAll(async () => {
  api?.kill('SIGKILL');
  await system?.stop();
});

/** A request that has come half-way: its body still has to be sent. */
async function begun(body: string): Promise<{ socket: Socket; answer: () => string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  await once(socket, 'connect');
  socket.write(
    `POST /v1/customers HTTP/1.1\r\nHost: x\r\nx-api-key: ${workspace.apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  return { socket, answer: () => answer };
}

describe('an API that is told to end', () => {
  it('says first that it is not ready, serves on, and ends when what is in flight is answered', async () => {
    const client = clientOf(url, { 'x-api-key': workspace.apiKey });
    await untilReady(() => client.get('/v1/health/ready'));
    const body = JSON.stringify({ id: 'in-flight', name: 'In flight' });
    const { socket, answer } = await begun(body);

    api.kill('SIGTERM');
    await output.until('shutting down');
    const { body: report } = await client.get('/v1/health/ready').expect(503);
    expect(report).toEqual({
      status: 'unavailable',
      checks: { process: { status: 'unavailable', message: 'shutting down' } },
    });
    await client.get('/v1/health').expect(200);
    await client.post('/v1/customers', { id: 'drained', name: 'Drained' }).expect(201);

    // Told again, it waits for no more requests; the one in flight is still answered.
    const exited = once(api, 'exit');
    const ended = once(socket, 'end');
    api.kill('SIGTERM');
    await refused();
    socket.write(body.slice(5));
    await ended;
    expect(answer()).toMatch(/^HTTP\/1.1 201 Created\r\n[^]*"id":"in-flight"/);
    expect(await exited).toEqual([0, null]);
    await workspace.http.get('/v1/customers/in-flight').expect(200);
  });
});

/** Resolves when nothing listens on the API's port any more. */
async function refused(): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    try {
      await once(socket, 'connect');
    } catch {
      return;
    } finally {
      socket.destroy();
    }
  }
}
