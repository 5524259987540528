// How soon a write can be read: POST a customer, then GET it until it is there. A write is one when it is answered, and
// from then on must be readable in time; from the moment that the POST is sent, for what both calls take a busy client.
import { caller } from './http-caller.mjs';

const clients = 16;
const requiredMillis = 50;
const requiredShare = 0.99;

export async function benchReadable(stack, { seconds, rounds, warmUpSeconds }) {
  await run(stack, warmUpSeconds);
  const samples = await run(stack, seconds * rounds);
  const writesPerSecond = Math.round(samples.length / (seconds * rounds));
  return [
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

function result(name, unsorted, { writesPerSecond, required }) {
  const millis = unsorted.sort((a, b) => a - b);
  const at = (share) => millis[Math.min(millis.length - 1, Math.floor(millis.length * share))];
  const within = millis.filter((one) => one <= requiredMillis).length / millis.length;
  return {
    name,
    value: Math.round(within * 10_000) / 100,
    unit: `% within ${requiredMillis} ms`,
    ...(required ? { required } : {}),
    writesPerSecond,
    millis: { p50: at(0.5), p99: at(0.99), max: millis.at(-1) },
    passed: required ? within >= requiredShare : null,
  };
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
