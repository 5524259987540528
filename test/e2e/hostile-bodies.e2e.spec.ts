import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import {
  operationsOf,
  startSystem,
  type Operation,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { HOSTILE_BODIES, MEBIBYTE } from '../support/hostile-bodies.js';

/*
 * Bodies that cost their sender little and would cost us much, to every endpoint that takes one: as large as it may be, with a credential
 * and without.
 */

const LIMITS = { usage: 5 * MEBIBYTE, auth: 16_384, other: MEBIBYTE };

/**
 * The most that one refusal may take: processor time and bytes of the answer. The limit of time finds only defects that take seconds: work
 * that grows with the square of the body, or with each of a million pieces. A slow machine with other work has needed 250 ms. The bench
 * measures smaller differences (`npm run bench -- --only hostile`).
 */
const LIMIT = { milliseconds: 2_000, bytes: 4_096 };

let system: System;
let workspace: TestWorkspace;
let operations: Operation[];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  const { body } = await workspace.http.get('/v1/openapi.json').expect(200);
  operations = operationsOf(body, {}).filter(({ takesBody }) => takesBody);
});
afterAll(async () => {
  agent.destroy();
  await system?.stop();
});

/** Without a credential no route reads a body (below), except those that need none. So a few others stand for all. */
function credentialsFor({ route }: Operation): object[] {
  const known = { authorization: `Bearer ${workspace.accessToken}` };
  return /^POST \/(v1\/(auth|events|customers)\b|i\/)/.test(route) ? [{}, known] : [known];
}

/**
 * One operation takes so many bodies in turn, of those where the parser refuses them all, before it is known whose they are. All of them
 * come to those that others stand behind: with and without a credential, and with limits of their own.
 */
const IN_TURN = 8;

function operationsFor(bodyNumber: number): Operation[] {
  const isOnlyOneOfMany = (operation: Operation) =>
    limitOf(operation) === LIMITS.other && credentialsFor(operation).length === 1;
  return operations.filter(
    (operation, number) => !isOnlyOneOfMany(operation) || (number + bodyNumber) % IN_TURN === 0,
  );
}

function limitOf({ route }: Operation): number {
  if (route === 'POST /v1/events' || route === 'POST /v1/events/backfill') return LIMITS.usage;
  return route.includes('/v1/auth/') ? LIMITS.auth : LIMITS.other;
}

interface Outcome {
  readonly status: number;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly answer: string;
}

/** Sends a body as it is. The processor time is of all that runs here, the sender and the stores' clients too. */
async function outcomeOf({ method, path }: Operation, body: Buffer, headers: object): Promise<Outcome> {
  const before = process.cpuUsage();
  return new Promise((resolve, reject) => {
    const sent = send(
      `${system.url}${path}`,
      {
        method,
        agent,
        headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { user, system: kernel } = process.cpuUsage(before);
          const answer = Buffer.concat(chunks);
          const milliseconds = (user + kernel) / 1_000;
          resolve({
            status: response.statusCode!,
            bytes: answer.length,
            milliseconds,
            answer: answer.toString().slice(0, 200),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function faultOf(operation: Operation, body: Buffer, headers: object): Promise<string | undefined> {
  const { status, bytes, milliseconds, answer } = await outcomeOf(operation, body, headers);
  if (milliseconds > LIMIT.milliseconds) return `took ${Math.round(milliseconds)} ms`;
  if (bytes > LIMIT.bytes) return `answered ${bytes} bytes`;
  const isRejected = status === 200 && answer.startsWith('{"accepted":[],"rejected":[');
  return (status >= 400 && status < 500) || isRejected ? undefined : `answered ${status}: ${answer}`;
}

describe('a hostile body', () => {
  it.each(Object.entries(HOSTILE_BODIES).map(([name, make], number) => [name, make, number] as const))(
    'of %s is refused at once and in few words, whatever it is sent to',
    async (_, make, number) => {
      const faults: string[] = [];
      const bodies = new Map(Object.values(LIMITS).map((bytes) => [bytes, Buffer.from(make(bytes))]));
      for (const operation of operationsFor(number))
        for (const headers of credentialsFor(operation)) {
          const fault = await faultOf(operation, bodies.get(limitOf(operation))!, headers);
          if (fault)
            faults.push(
              `${operation.route} ${'authorization' in headers ? '' : 'without a credential '}${fault}`,
            );
        }
      expect(faults).toEqual([]);
    },
    480_000,
  );

  it('is not read of somebody without a credential', async () => {
    const operation = operations.find(({ route }) => route === 'POST /v1/customers')!;
    const { status, answer } = await outcomeOf(operation, Buffer.from('not JSON'), {});
    expect([status, JSON.parse(answer).code]).toEqual([401, 'missing_credential']);
  });

  it('may be as large as that of usage nowhere else', async () => {
    const large = { name: 'x'.repeat(2 * MEBIBYTE) };
    const { body } = await workspace.http.post('/v1/customers', large).expect(413);
    expect(body).toMatchObject({ code: 'body_too_large', error: expect.stringContaining('1048576 bytes') });
    await workspace.http.post('/v1/auth/login', { email: 'x'.repeat(20_000) }).expect(413);
  });

  it.each([
    ['where no credential is needed', 'POST /i/nobodys-link/pay', {}],
    ['to no endpoint', 'POST /nothing', {}],
    ['that is refused before it is read', 'POST /v1/customers', {}],
    ['with a credential', 'POST /v1/customers', { authorization: () => `Bearer ${workspace.accessToken}` }],
  ])('in pieces of one byte costs no more, %s', async (_, target, credential) => {
    const head = [
      `${target} HTTP/1.1`,
      'Host: x',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      ...Object.entries(credential).map(([name, value]) => `${name}: ${value()}`),
    ];
    const body = Buffer.from(`${head.join('\r\n')}\r\n\r\n${'1\r\n[\r\n'.repeat(1_000_000)}0\r\n\r\n`);
    const before = process.cpuUsage();
    const client = connect(Number(new URL(system.url).port), '127.0.0.1');
    let answer = '';
    client.on('data', (chunk) => (answer += chunk.toString())).on('error', () => undefined);
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    client.end(body);
    await closed;
    const { user, system: kernel } = process.cpuUsage(before);
    // Who writes on behind the refusal is cut off, which can take the answer with it.
    expect(answer === '' ? 'cut off' : answer).toMatch(/^(cut off|HTTP\/1.1 4)/);
    expect((user + kernel) / 1_000).toBeLessThan(LIMIT.milliseconds);
  });
});
