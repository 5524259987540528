import { Decimal, instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';

/** A usage event of the demo. */
export interface DemoUsageEvent {
  customerId: string;
  eventName: string;
  timestamp: Instant;
  idempotencyKey: string;
  properties: { model: string; tokens: number };
}

const MODELS = ['small', 'medium', 'large'] as const;

/**
 * Returns `count` usage events of requests to a language model. The events are spread evenly from `start` to `end`, and each event is
 * delayed by a small pseudorandom time. The events are always the same, so that the demo's invoice is the same on every machine.
 */
export function demoUsageEvents(
  customerId: string,
  start: Instant,
  end: Instant,
  count: number,
): DemoUsageEvent[] {
  const next = linearCongruential(20_260_101);
  const [from, to] = [instantToMillis(start), instantToMillis(end)];
  return Array.from({ length: count }, (_, n) => {
    const even = new Decimal(to - from).times(n).div(count);
    const jitter = next(Math.floor((to - from) / count));
    return {
      customerId,
      eventName: 'llm.request',
      timestamp: instantFromMillis(even.plus(from).plus(jitter).floor().toNumber()),
      idempotencyKey: `demo-${n}`,
      properties: { model: MODELS[next(MODELS.length)]!, tokens: 200 + next(7_000) },
    };
  });
}

/**
 * Returns a generator of pseudorandom whole numbers below a limit. A seed always gives the same numbers. The constants are from the book
 * Numerical Recipes.
 */
function linearCongruential(seed: number): (below: number) => number {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 1_664_525n + 1_013_904_223n) % 4_294_967_296n;
    return Number((state * BigInt(below)) / 4_294_967_296n);
  };
}
