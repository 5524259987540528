// What a hostile body costs before it is refused, beside a bare Fastify that only parses well-formed usage of the same size.
import { HOSTILE_BODIES, MEBIBYTE } from '../support/hostile-bodies.ts';
import { startServer } from './child.mjs';
import { caller } from './http-caller.mjs';
import { quantiles } from './quantiles.mjs';

/** The size of the largest body that the API accepts. Only usage may be that large. */
const BYTES = 5 * MEBIBYTE;
const TRIES = 9;
const MAX_RATIO = 2;

export async function benchHostileBodies(stack) {
  const { headers } = await stack.workspace('hostile');
  const bare = await startServer('baseline-server.mjs', stack.databaseUrl);
  try {
    const plain = await millisOf(`http://127.0.0.1:${bare.port}/v1/parse`, headers, wellFormedUsage(), [200]);
    const found = [];
    for (const [name, make] of Object.entries(HOSTILE_BODIES))
      found.push({
        name,
        millis: await millisOf(`${stack.url}/v1/events`, headers, make(BYTES), [200, 400]),
      });
    const [worst] = found.sort((a, b) => b.millis - a.millis);
    return [
      {
        name: `hostile body of 5 MiB, refused; slowest: ${worst.name}`,
        value: Number(worst.millis.toFixed(1)),
        unit: 'ms',
        baseline: { name: 'bare Fastify parses usage of 5 MiB, ms', value: Number(plain.toFixed(1)) },
        ratio: worst.millis / plain,
        required: `ratio <= ${MAX_RATIO}`,
        passed: worst.millis / plain <= MAX_RATIO,
      },
    ];
  } finally {
    bare.stop();
  }
}

/** The median time in which a body is answered, in ms. One after the other, so nothing waits. */
async function millisOf(url, headers, body, statuses) {
  const call = caller(headers);
  const millis = [];
  for (let i = 0; i < TRIES; i++) {
    const began = performance.now();
    const { status, text } = await call('POST', url, body);
    millis.push(performance.now() - began);
    if (!statuses.includes(status) || text.startsWith('{"accepted":["'))
      throw new Error(`POST ${url} answered ${status}`);
  }
  return quantiles(millis).p50;
}

function wellFormedUsage() {
  const event =
    '{"customerId":"cust_1","eventName":"call","properties":{"words":1,"model":"haiku","input":true}}';
  return `[${Array.from({ length: Math.floor(BYTES / (event.length + 1)) - 1 }, () => event).join(',')}]`;
}
