// How long a neighbour's writes take while many clients sign in, and while users register.
import { caller } from './http-caller.mjs';
import { besideFlood, during, MAX_WRITE_MILLIS, neighbourWrites, writesResult } from './neighbour.mjs';

const CONNECTIONS = 100;
const JSON_HEADERS = { 'content-type': 'application/json' };

export async function benchSignIns(stack, { seconds, rounds }) {
  const call = caller(JSON_HEADERS);
  const floods = {
    'sign-ins': async () => (await call('POST', `${stack.url}/v1/auth/login`, SIGN_IN)).status,
    registrations: async (i) => (await call('POST', `${stack.url}/v1/auth/register`, registration(i))).status,
  };
  const quiet = await neighbourWrites(stack, during(seconds));
  const results = [];
  for (const [kind, send] of Object.entries(floods)) {
    const writes = await besideFlood(stack, { seconds: seconds * rounds, connections: CONNECTIONS, send });
    const result = writesResult(`${kind} over ${CONNECTIONS} connections`, writes, quiet);
    const hasFailed = Object.keys(writes.statuses).some((status) => Number(status) >= 500);
    results.push({
      ...result,
      required: `<= ${MAX_WRITE_MILLIS} ms, no 5xx`,
      passed: result.passed && !hasFailed,
    });
  }
  return results;
}

const SIGN_IN = JSON.stringify({ email: 'nobody@example.com', password: 'a password of the flood' });
const registration = (i) =>
  JSON.stringify({
    email: `flood-${process.pid}-${i}@example.com`,
    password: 'a password of the flood',
    name: 'Flood',
  });
