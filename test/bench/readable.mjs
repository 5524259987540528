// How soon a write is answered, beside one bare commit, and how soon it can be read: POST a customer, then GET it until it
// is there. A write is one when it is answered, and from then on must be readable in time; from the moment that the POST is
// sent, for what both calls take a busy client.
import pg from 'pg';
import { caller } from './http-caller.mjs';
import { quantiles } from './quantiles.mjs';

const clients = 16;
const requiredMillis = 50;
const requiredShare = 0.99;
const requiredCommits = 6;
/** As large as an event of the product's. */
const payload = 'x'.repeat(500);

export async function benchReadable(stack, { seconds, rounds, warmUpSeconds }) {
  await run(stack, warmUpSeconds);
  // Before and after, so that a machine that is slower for a while is slower for both.
  const before = await commits(stack, seconds);
  const samples = await run(stack, seconds * rounds);
  const commit = quantiles([...before, ...(await commits(stack, seconds))]).p50;
  const writesPerSecond = Math.round(samples.length / (seconds * rounds));
  const answered = quantiles(samples.map(({ sent, answered }) => answered - sent));
  return [
    {
      name: `command over HTTP, ${clients} clients`,
      value: Math.round(answered.p50 * 10) / 10,
      unit: 'ms',
      baseline: {
        name: `one bare Postgres commit, ${clients} clients`,
        value: Math.round(commit * 100) / 100,
      },
      ratio: answered.p50 / commit,
      required: `ratio <= ${requiredCommits}`,
      writesPerSecond,
      millis: answered,
      passed: answered.p50 <= commit * requiredCommits,
    },
    result(
      `sent to readable, ${clients} clients`,
      samples.map(({ sent, read }) => read - sent),
      { writesPerSecond },
    ),
    result(
      `answered to readable, ${clients} clients`,
      samples.map(({ answered, read }) => read - answered),
      { writesPerSecond, required: `>= ${requiredShare * 100} %` },
    ),
  ];
}

function result(name, millis, { writesPerSecond, required }) {
  const within = millis.filter((one) => one <= requiredMillis).length / millis.length;
  return {
    name,
    value: Math.round(within * 10_000) / 100,
    unit: `% within ${requiredMillis} ms`,
    ...(required ? { required } : {}),
    writesPerSecond,
    millis: quantiles(millis),
    passed: required ? within >= requiredShare : null,
  };
}

/** What it takes as many clients to store one row each and have it on disk, over and over. */
async function commits({ databaseUrl }, seconds) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: clients });
  await pool.query('CREATE TABLE IF NOT EXISTS bench_commits (id bigserial PRIMARY KEY, payload text)');
  const insert = { name: 'bench-commit', text: 'INSERT INTO bench_commits (payload) VALUES ($1)' };
  const end = performance.now() + seconds * 1_000;
  const millis = [];
  const client = async () => {
    while (performance.now() < end) {
      const sent = performance.now();
      await pool.query({ ...insert, values: [payload] });
      millis.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await pool.end();
  return millis;
}

/** When each write was sent, when it was answered, and when a GET had shown it. */
async function run({ url, headers }, seconds) {
  const end = performance.now() + seconds * 1_000;
  const samples = [];
  const call = caller(headers);
  const client = async () => {
    while (performance.now() < end) {
      const sent = performance.now();
      const written = await call('POST', `${url}/v1/customers`, JSON.stringify({ name: 'Readable' }));
      if (written.status !== 201) throw new Error(`POST /v1/customers: ${written.status} ${written.text}`);
      const { id } = JSON.parse(written.text);
      const answered = performance.now();
      while ((await call('GET', `${url}/v1/customers/${id}`)).status !== 200);
      samples.push({ sent, answered, read: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return samples;
}
