// Usage intake, compared with a bare handler on the same database server. The two take turns, so that whatever else
// the machine does hits both.
import { startServer } from './child.mjs';
import { load } from './load.mjs';

const cases = [
  { name: 'usage, 100 events a request, 8 connections', events: 100, connections: 8 },
  { name: 'usage, 1 event a request, 64 connections', events: 1, connections: 64 },
];
/** Of the bare handler's rate. */
const required = 0.6;

let sent = 0;

/** Each case as a result: our events a second, the bare handler's, and their ratio. */
export async function benchUsage(stack, { seconds, rounds, warmUpSeconds }) {
  const bare = await startServer('baseline-server.mjs', stack.databaseUrl);
  const bareUrl = `http://127.0.0.1:${bare.port}`;
  const results = [];
  try {
    for (const { name, events, connections } of cases) {
      const body = bodies(stack.customers, events);
      const run = (url, duration) =>
        load({ url, path: '/v1/events', headers: stack.headers, connections, seconds: duration, body });
      const rates = { ours: [], bare: [] };
      let [stored, failed] = [0, 0];
      const before = await countEvents(stack);
      for (let round = 0; round <= rounds; round++) {
        const duration = round === 0 ? warmUpSeconds : seconds;
        const [ours, other] = [await run(stack.url, duration), await run(bareUrl, duration)];
        stored += ours.answered * events;
        failed += ours.failed + other.failed;
        if (round === 0) continue;
        rates.ours.push(ours);
        rates.bare.push(other);
      }
      // Requests that were under way when the time was over were stored and not counted.
      const counted = (await countEvents(stack)) - before;
      const complete = counted >= stored && counted <= stored + (rounds + 1) * connections * events;
      const [ours, other] = [median(rates.ours), median(rates.bare)];
      const ratio = ours.perSecond / other.perSecond;
      results.push({
        name,
        value: Math.round(ours.perSecond * events),
        unit: 'events/s',
        baseline: { name: 'bare Fastify, one INSERT', value: Math.round(other.perSecond * events) },
        ratio,
        required: `ratio >= ${required}`,
        millis: { p50: ours.p50, p99: ours.p99 },
        passed: ratio >= required && failed === 0 && complete,
        ...(failed > 0 ? { failed } : {}),
        ...(complete ? {} : { answered: stored, counted }),
      });
    }
  } finally {
    bare.stop();
  }
  return results;
}

/** Requests like a client's: each event has a key of its own, and the time of its making. */
function bodies(customers, events) {
  const one = () => {
    const n = sent++;
    const timestamp = new Date().toISOString();
    return (
      `{"customerId":"${customers[n % customers.length]}","eventName":"llm.request","timestamp":"${timestamp}",` +
      `"idempotencyKey":"bench-${process.pid}-${n}","properties":{"model":"model-${n % 5}","region":"eu-west-1",` +
      `"contextTokens":${n % 8000},"generatedTokens":${n % 500}}}`
    );
  };
  return () => (events === 1 ? one() : `[${Array.from({ length: events }, one).join(',')}]`);
}

async function countEvents(stack) {
  const { data } = await stack.post('/v1/events/query', {
    eventName: 'llm.request',
    aggregation: { type: 'count' },
    startTime: '2020-01-01T00:00:00Z',
    endTime: '2100-01-01T00:00:00Z',
  });
  return data[0]?.value ?? 0;
}

function median(runs) {
  return [...runs].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)];
}
