// How long a neighbour's writes take while many clients sign in, and while users register.
import { caller } from './http-caller.mjs';
import { quantiles } from './quantiles.mjs';

const CONNECTIONS = 100;
const MAX_WRITE_MILLIS = 1_000;
const JSON_HEADERS = { 'content-type': 'application/json' };

export async function benchSignIns(stack, { seconds, rounds }) {
  const call = caller(JSON_HEADERS);
  const signIn = () => call('POST', `${stack.url}/v1/auth/login`, SIGN_IN);
  const register = (i) => call('POST', `${stack.url}/v1/auth/register`, registration(i));
  const quiet = await slowestWrite(stack, seconds);
  return [
    result('sign-ins', await flooded(stack, seconds * rounds, signIn), quiet),
    result('registrations', await flooded(stack, seconds * rounds, register), quiet),
  ];
}

const SIGN_IN = JSON.stringify({ email: 'nobody@example.com', password: 'a password of the flood' });
const registration = (i) =>
  JSON.stringify({
    email: `flood-${process.pid}-${i}@example.com`,
    password: 'a password of the flood',
    name: 'Flood',
  });

/** Sends requests over all connections for some seconds, and measures the writes of another workspace meanwhile. */
async function flooded(stack, seconds, send) {
  const statuses = new Map();
  let [isOver, sent] = [false, 0];
  const client = async () => {
    while (!isOver) {
      const { status } = await send(sent++);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const flood = Promise.all(Array.from({ length: CONNECTIONS }, client));
  const writes = await slowestWrite(stack, seconds);
  isOver = true;
  await flood;
  return { ...writes, statuses: Object.fromEntries(statuses) };
}

/** The slowest of the writes that follow each other for some seconds, in ms. */
async function slowestWrite({ post }, seconds) {
  const millis = [];
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    const began = performance.now();
    await post('/v1/customers', { name: 'Neighbour' });
    millis.push(performance.now() - began);
  }
  const { p50, p99 } = quantiles(millis);
  return { slowest: Math.max(...millis), millis: { p50: Math.round(p50), p99: Math.round(p99) } };
}

function result(name, { slowest, millis, statuses }, quiet) {
  return {
    name: `slowest write of a neighbour beside ${name} over ${CONNECTIONS} connections`,
    value: Math.round(slowest),
    unit: 'ms',
    baseline: { name: 'without the flood', value: Math.round(quiet.slowest) },
    millis,
    statuses,
    required: `<= ${MAX_WRITE_MILLIS} ms, no 5xx`,
    passed: slowest <= MAX_WRITE_MILLIS && Object.keys(statuses).every((status) => Number(status) < 500),
  };
}
