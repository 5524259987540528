import { Agent, request as open } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import supertest from 'supertest';
import { createApiApp } from '#apps/api';
import { createProjectorApp, ProjectorProcess } from '#apps/projector';
import { createSagaApp, SagaProcess } from '#apps/saga';
import { loadSettings, type Logger, type Settings } from '#libs/kernel/system';
import { judgeOfAnswers, type Judge, type JudgedAnswer } from './per-worker/answer-judge.ts';
import { createMigratedDatabase, type TestDatabase } from './database.ts';
import { startEventStore, type TestEventStore } from './event-store.ts';

/** The whole product in one process, each part with its own role on a database of its own. */
export interface System {
  readonly api: NestFastifyApplication;
  /** Those of the API and the saga. */
  readonly settings: Settings;
  readonly database: TestDatabase;
  readonly node: TestEventStore;
  /** Where the API listens. */
  readonly url: string;
  readonly projector: INestApplicationContext;
  readonly saga: INestApplicationContext;
  /** What ended the projector or the saga. `stop` throws the first of them; a test that expects one takes it out. */
  readonly failures: unknown[];
  /** Registers a new user with a workspace of its own. */
  workspace(options?: { email?: string; companyName?: string }): Promise<TestWorkspace>;
  stop(): Promise<void>;
}

/** A workspace as a client of the API sees it. */
export interface TestWorkspace {
  readonly workspaceId: string;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly apiKey: string;
  /** Requests with the workspace's admin API key. */
  readonly http: Client;
  /** Requests with the user's access token. */
  readonly session: Client;
  /** Requests with the token of a portal session of a customer, which allows everything and lasts a day. */
  portalOf(customerId: string): Promise<Client>;
}

/** Requests with one credential. */
export interface Client {
  get(path: string): supertest.Test;
  post(path: string, body?: object): supertest.Test;
  put(path: string, body?: object): supertest.Test;
  patch(path: string, body?: object): supertest.Test;
  delete(path: string, body?: object): supertest.Test;
}

let count = 0;

/**
 * How long a write waits for the read models, in milliseconds. A test reads what it has written, and a slow machine needs longer than the
 * two seconds of the default. It is less than the time in which every request is answered.
 */
export const READ_YOUR_WRITES_MS = '8000';

/**
 * Starts Postgres database, node, api, projector and saga. Takes about a second; call it once in a test file.
 *
 * @param nodeLogger for the node; by default it logs its warnings to the standard output
 */
export async function startSystem(env: Record<string, string> = {}, nodeLogger?: Logger): Promise<System> {
  const database = await createMigratedDatabase();
  const node = await startEventStore(database.urlAs('eventStore'), nodeLogger);
  const settings = loadSettings({
    PORT: '0',
    DATABASE_URL: database.urlAs('app'),
    EVENTSTORE_URL: node.url,
    JWT_SECRET: 'a secret of the tests, which is long enough',
    PUBLIC_URL: 'http://127.0.0.1:3000',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'fatal',
    DATABASE_POOL_SIZE: '8',
    RATE_LIMIT_PER_SECOND: '100000',
    AUTH_RATE_LIMIT_PER_MINUTE: '100000',
    READ_YOUR_WRITES_MS,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // Nothing listens there, so a test that names no Stripe server talks to none.
    STRIPE_API_URL: 'http://127.0.0.1:9',
    ...env,
  });
  const projector = await createProjectorApp({ ...settings, databaseUrl: database.urlAs('projector') });
  const saga = await createSagaApp(settings);
  const api = await createApiApp(settings);
  await api.listen(0, '127.0.0.1');
  const url = (await api.getUrl()).replace('[::1]', '127.0.0.1');
  judges.set(url, await judgeOfAnswers(settings));
  const failures: unknown[] = [];
  for (const background of [projector.get(ProjectorProcess), saga.get(SagaProcess)])
    background.failure.catch((error: unknown) => failures.push(error));
  return {
    api,
    settings,
    database,
    node,
    url,
    projector,
    saga,
    failures,
    workspace: (options) => createWorkspace(url, options),
    async stop() {
      // Those that work by themselves end before the parts that they use.
      await saga.close();
      await projector.close();
      await api.close();
      await node.close();
      await database.drop();
      if (failures.length > 0) throw new Error('A process of the system failed', { cause: failures[0] });
    },
  };
}

// By itself each request of supertest opens a connection of its own.
const connections = new Agent({ keepAlive: true });

/** What judges the answers of a system's API, by its address. */
const judges = new Map<string, Judge>();

/**
 * Sends a request with text for its body, and holds the answer against the OpenAPI document as {@link clientOf} does. It costs a fraction
 * of a request by a client, so it is for specs that send thousands.
 */
export async function sendText(
  method: string,
  url: string,
  headers: Record<string, string>,
  text = '',
): Promise<{ status: number; body: unknown }> {
  const answer = await new Promise<JudgedAnswer & { text: string }>((resolve, reject) => {
    const sent = open(url, { method, agent: connections, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const content = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
        resolve({
          request: { method, url },
          status: response.statusCode!,
          text: content,
          headers: { 'content-type': response.headers['content-type'] },
          body: isJson ? JSON.parse(content) : {},
        });
      });
    });
    sent.on('error', reject).end(text);
  });
  const fault = judges.get(new URL(url).origin)?.(answer);
  if (fault !== undefined) throw new Error(fault);
  return answer;
}

/** Requests to `url` with these headers. Whatever a system's API answers must be as its OpenAPI document has it. */
export function clientOf(url: string, headers: Record<string, string> = {}): Client {
  const requests = supertest(url);
  const judge = judges.get(url);
  const request = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string) => {
    // Where the request was made, which is only worked out if it is needed.
    const asked = new Error();
    return withoutStacks(() =>
      requests[method](path)
        .agent(connections)
        .set(headers)
        .expect((answer) => {
          const fault = judge?.(answer);
          if (fault === undefined) return;
          asked.message = fault;
          throw asked;
        }),
    );
  };
  return {
    get: (path) => request('get', path),
    post: (path, body) => request('post', path).send(body),
    put: (path, body) => request('put', path).send(body),
    patch: (path, body) => request('patch', path).send(body),
    delete: (path, body) => (body ? request('delete', path).send(body) : request('delete', path)),
  };
}

/** Supertest works out the stack of each expectation as it is added, which takes long, since Jest maps it to the sources. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function createWorkspace(
  url: string,
  {
    email = `user${++count}@example.com`,
    companyName = 'Test Company',
  }: { email?: string; companyName?: string } = {},
): Promise<TestWorkspace> {
  const password = 'correct horse battery staple';
  const registered = await clientOf(url)
    .post('/v1/auth/register', { email, password, name: 'Test User', companyName })
    .expect(201);
  const { user, tokens } = registered.body as {
    user: { accountId: string };
    tokens: { accessToken: string; refreshToken: string };
  };
  const session = clientOf(url, { authorization: `Bearer ${tokens.accessToken}` });
  const { key: apiKey } = (await session.post('/v1/api-keys', { name: 'tests', role: 'admin' }).expect(201))
    .body as {
    key: string;
  };
  const http = clientOf(url, { 'x-api-key': apiKey });
  return {
    workspaceId: user.accountId,
    email,
    password,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    apiKey,
    http,
    session,
    async portalOf(customerId) {
      const allowed = { allowPlanChanges: true, allowCreditPurchases: true };
      const { body } = await http
        .post('/v1/portal/sessions', { customerId, expiresInSeconds: 86_400, ...allowed })
        .expect(201);
      return clientOf(url, { authorization: `Bearer ${(body as { token: string }).token}` });
    },
  };
}
