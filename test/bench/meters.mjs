// How long an event that is stored waits until its meter has counted it, while 10,000 events a second come in.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { quantiles } from './quantiles.mjs';

const perSecond = 10_000;
const perRequest = 100;
const requiredMillis = 1_000;

export async function benchMeters(stack, { seconds, rounds }) {
  const { post } = await stack.workspace('meters');
  const { id: customerId } = await post('/v1/customers', { name: 'Busy' });
  await post('/v1/metrics', {
    name: 'tokens',
    eventName: 'llm.tokens',
    aggregation: { type: 'sum', property: 'tokens' },
  });
  const db = new pg.Client(stack.databaseUrl);
  await db.connect();
  try {
    const stored = [];
    const whole = Promise.withResolvers();
    const watched = watch(db, whole.promise);
    const end = performance.now() + seconds * rounds * 1_000;
    const began = performance.now();
    let sent = 0;
    const answers = [];
    while (performance.now() < end) {
      const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
      for (; sent < due; sent += perRequest)
        answers.push(post('/v1/events', events(customerId, sent)).then(() => stored.push(performance.now())));
      await delay(5);
    }
    await Promise.all(answers);
    whole.resolve(stored.length * perRequest);
    const counted = await watched;
    // The n-th answer that came: by then n requests' events were stored, and counted when the meter says as many.
    const millis = quantiles(
      stored
        .map((at, i) => counted.find((one) => one.events >= (i + 1) * perRequest).at - at)
        .map((wait) => Math.max(0, wait)),
    );
    const reached = Math.round((stored.length * perRequest) / ((stored.at(-1) - began) / 1_000));
    return [
      {
        name: `stored to counted, ${perSecond.toLocaleString('en-US')} events/s asked for`,
        value: reached,
        unit: 'events/s',
        required: `p99 <= ${requiredMillis} ms`,
        millis,
        passed: millis.p99 <= requiredMillis,
      },
    ];
  } finally {
    await db.end();
  }
}

/** When the meter was seen to have counted how many events, until it has all: how many that is, is told at the end. */
async function watch(db, whole) {
  const seen = [];
  let expected = Infinity;
  void whole.then((events) => (expected = events));
  for (;;) {
    const { rows } = await db.query({
      name: 'counted',
      text: `SELECT coalesce(sum(r.events), 0)::bigint AS events FROM usage.meters m
             JOIN usage.streams s ON s.id = m.stream_id LEFT JOIN usage.rollups r ON r.meter_id = m.id
             WHERE s.event_name = 'llm.tokens'`,
    });
    const events = Number(rows[0].events);
    seen.push({ at: performance.now(), events });
    if (events >= expected) return seen;
    await delay(20);
  }
}

function events(customerId, from) {
  const timestamp = new Date().toISOString();
  return Array.from({ length: perRequest }, (_, n) => ({
    customerId,
    eventName: 'llm.tokens',
    timestamp,
    idempotencyKey: `meters-${from + n}`,
    properties: { tokens: (from + n) % 500 },
  }));
}
