// The writes of a workspace while something else keeps the product busy.
import { quantiles } from './quantiles.mjs';

/** The longest that a write of a neighbour may take beside a flood, in ms. */
export const MAX_WRITE_MILLIS = 1_000;

/** Returns a function that says whether these seconds are over. */
export function during(seconds) {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
}

/** Measures the writes that follow each other until it is over: the slowest, the median and the 99th percentile, in ms. */
export async function neighbourWrites({ post }, isOver) {
  const millis = [];
  while (!isOver()) {
    const began = performance.now();
    await post('/v1/customers', { name: 'Neighbour' });
    millis.push(performance.now() - began);
  }
  return { slowest: Math.max(...millis), millis: quantiles(millis) };
}

/**
 * Sends requests over some connections for some seconds, each connection one at a time, and measures the writes of a neighbour meanwhile.
 * `send` gets the number of the request, and returns its status.
 *
 * @returns the writes, and how often each status was answered
 */
export async function besideFlood(neighbour, { seconds, connections, send }) {
  const isOver = during(seconds);
  const statuses = new Map();
  let sent = 0;
  const client = async () => {
    while (!isOver()) {
      const status = await send(sent++);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const flood = Promise.all(Array.from({ length: connections }, client));
  const writes = await neighbourWrites(neighbour, isOver);
  await flood;
  return { ...writes, statuses: Object.fromEntries(statuses) };
}

/** The row of the report about the neighbour's writes beside `flood`. `quiet` has the writes without it. */
export function writesResult(flood, { slowest, millis, ...more }, quiet) {
  return {
    name: `slowest write of a neighbour beside ${flood}`,
    value: Math.round(slowest),
    unit: 'ms',
    baseline: { name: 'without the flood', value: Math.round(quiet.slowest) },
    millis,
    ...more,
    required: `<= ${MAX_WRITE_MILLIS} ms`,
    passed: slowest <= MAX_WRITE_MILLIS,
  };
}
