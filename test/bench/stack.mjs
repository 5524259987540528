// The product as `npm start` runs it, with its processes and an fsyncing Postgres of its own, in a folder of its own.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, postgresSettings, startEmbeddedPostgres } from '#apps/cli';

const root = join(import.meta.dirname, '../..');

/** Starts everything; `stop` ends it and removes the data. */
export async function startStack() {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'));
  const postgres = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    password: 'bench',
    settings: postgresSettings,
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const product = spawn(process.execPath, [join(root, 'dist/apps/cli/main.js'), 'start', '--no-demo'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: folder,
      DATABASE_URL: postgres.url,
      RATE_LIMIT_PER_SECOND: '1000000',
      USAGE_RATE_LIMIT_PER_SECOND: '10000000',
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
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await ready(url, ended);
    return { url, databaseUrl: postgres.url, ...(await workspace(url)), stop };
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

/** A workspace with some customers, and how to call the API for it. */
async function workspace(url) {
  const call = async (path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { tokens } = await call('/v1/auth/register', {
    email: 'bench@example.com',
    password: 'a password for the bench',
    name: 'Bench',
  });
  const session = { authorization: `Bearer ${tokens.accessToken}` };
  const { key } = await call('/v1/api-keys', { name: 'bench', role: 'admin' }, session);
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const customers = [];
  for (let i = 0; i < 20; i++)
    customers.push((await call('/v1/customers', { name: `Customer ${i}` }, headers)).id);
  return { headers, customers, post: (path, body) => call(path, body, headers) };
}
