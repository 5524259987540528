// The product as `npm start` runs it, with its processes and an fsyncing Postgres of its own, in a folder of its own.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonCaller } from './http-caller.mjs';
import { startMailServer } from './mail-server.mjs';
import { findFreePort, postgresSettings, startEmbeddedPostgres } from '#apps/cli';

const root = join(import.meta.dirname, '../..');
const livesProgram = pathToFileURL(join(import.meta.dirname, 'lives.mjs')).href;

/** Starts everything; `stop` ends it and removes the data. */
export async function startStack() {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'));
  const postgres = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    port: await findFreePort(),
    password: 'bench',
    settings: postgresSettings,
  });
  const livesFolder = join(folder, 'lives');
  await mkdir(livesFolder);
  const port = await findFreePort();
  const eventStorePort = await findFreePort(port + 1);
  const url = `http://127.0.0.1:${port}`;
  const mails = await startMailServer();
  const product = spawn(process.execPath, [join(root, 'dist/programs/cli.js'), 'start', '--no-demo'], {
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${livesProgram}`,
      BENCH_LIVES: livesFolder,
      PORT: String(port),
      EVENTSTORE_PORT: String(eventStorePort),
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: postgres.url,
      RATE_LIMIT_PER_SECOND: '1000000',
      USAGE_RATE_LIMIT_PER_SECOND: '10000000',
      AUTH_RATE_LIMIT_PER_MINUTE: '1000000',
      MAIL_URL: mails.url,
      MAIL_FROM: 'Bench <bench@example.com>',
      // What the bare handler that it is compared with does not do either.
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => product.once('exit', resolve));
  const stop = async () => {
    product.kill('SIGTERM');
    await ended;
    await postgres.stop(20_000);
    await mails.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await ready(url, ended);
    return {
      url,
      databaseUrl: postgres.url,
      eventStoreUrl: `esdb://127.0.0.1:${eventStorePort}?tls=false`,
      /** The supervisor, whose children the product's processes are. */
      pid: product.pid,
      /** Where each of them writes what lives on in it; see lives.mjs. */
      livesFolder,
      /** The server that takes the mail of the product. */
      mails,
      workspace: (name) => workspace(url, name),
      ...(await workspaceWithCustomers(url)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ready(url, ended) {
  let over = false;
  void ended.then(() => (over = true));
  while (!over) {
    const answer = await fetch(`${url}/v1/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(100);
  }
  throw new Error('The product did not start');
}

/** A workspace of its own, and how to call the API for it. */
async function workspace(url, name) {
  const json = { 'content-type': 'application/json' };
  const { tokens } = await jsonCaller(url, json)('POST', '/v1/auth/register', {
    email: `${name}@example.com`,
    password: 'a password for the bench',
    name: 'Bench',
  });
  const session = jsonCaller(url, { ...json, authorization: `Bearer ${tokens.accessToken}` });
  const { key } = await session('POST', '/v1/api-keys', { name: 'bench', role: 'admin' });
  const headers = { ...json, 'x-api-key': key };
  const call = jsonCaller(url, headers);
  return { headers, call, post: (path, body) => call('POST', path, body) };
}

async function workspaceWithCustomers(url) {
  const made = await workspace(url, 'bench');
  const customers = [];
  for (let i = 0; i < 20; i++)
    customers.push((await made.post('/v1/customers', { name: `Customer ${i}` })).id);
  return { ...made, customers };
}
