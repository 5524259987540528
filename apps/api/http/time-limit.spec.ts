import { setImmediate as immediate } from 'node:timers/promises';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallHandler, ExecutionContext } from '@nestjs/common';
import type { Pool } from 'pg';
import { lastValueFrom, NEVER, Observable } from 'rxjs';
import type { EventFeed } from '#libs/kernel/event-store';
import { WebhooksController } from '../webhooks/webhooks.controller.js';
import { TakesLong, TimeLimitInterceptor, withTimeLimit } from './time-limit.js';

/*
 * A request whose work never ends, by the clock of the test. It is answered within 10 s.
 */

class Endpoints {
  plain(): void {}

  @TakesLong()
  long(): void {}
}

const endpoints = new Endpoints();
const STEP_MILLIS = 100;
const never = new Promise<never>(() => undefined);

// The modules under test load outside Jest's context, so its own fake timers do not reach them.
beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] }));
afterEach(() => mock.timers.reset());

describe('a request whose work does not end', () => {
  it('is refused as unavailable within 10 s', async () => {
    expect(await codeAfter(10_000, answerOf(endpoints.plain, stores(never)))).toBe('timed_out');
  });

  it('is refused within 10 s while its credential is read', async () => {
    expect(await codeAfter(10_000, withTimeLimit(never))).toBe('timed_out');
  });

  it('is refused within 10 s if it may take long and a store does not answer', async () => {
    expect(await codeAfter(10_000, answerOf(endpoints.long, stores(never)))).toBe('timed_out');
  });

  it('goes on if it may take long and the stores answer', async () => {
    expect(await codeAfter(60_000, answerOf(endpoints.long, stores(Promise.resolve())))).toBeUndefined();
  });

  it('goes on while a test of a webhook waits 12 s for what came of it', async () => {
    const { test } = WebhooksController.prototype;
    expect(await codeAfter(12_000, answerOf(test, stores(Promise.resolve())))).toBeUndefined();
  });
});

/** The stores that the interceptor asks. Postgres answers with `answer`, the event store always answers. */
function stores(answer: Promise<unknown>): TimeLimitInterceptor {
  const pool = { query: () => answer } as unknown as Pool;
  const feed = { readHead: () => Promise.resolve(0n) } as unknown as EventFeed;
  return new TimeLimitInterceptor(pool, feed);
}

function answerOf(handler: object, interceptor: TimeLimitInterceptor): Promise<unknown> {
  const host = { getHandler: () => handler } as unknown as ExecutionContext;
  const next: CallHandler = { handle: (): Observable<unknown> => NEVER };
  return lastValueFrom(interceptor.intercept(host, next));
}

/** Returns the code with which the answer is refused in so many milliseconds, or undefined if it is not refused. */
async function codeAfter(millis: number, answer: Promise<unknown>): Promise<string | undefined> {
  let code: string | undefined;
  answer.catch((error: { code: string }) => (code = error.code));
  for (let passed = 0; passed < millis; passed += STEP_MILLIS) {
    mock.timers.tick(STEP_MILLIS);
    // The promises that the timers settle are handled before the next step.
    await immediate();
  }
  return code;
}
