import {
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Pool } from 'pg';
import { exhaustMap, filter, map, Observable, pairwise, race, timer } from 'rxjs';
import { Unavailable } from '#libs/kernel/core';
import { EventFeed } from '#libs/kernel/event-store';
import { runChecks } from '#libs/kernel/runtime';

/**
 * Every request is answered within 10 s, except those of endpoints with {@link TakesLong}. The limit below 10 s leaves time for the
 * network, and for a process that waits for a busy CPU.
 */
const LIMIT_MILLIS = 8_000;
/**
 * The interval between checks whether Postgres and the event store answer. With this interval, two failed checks in a row are found within
 * 10 s.
 */
const LOOK_EVERY_MILLIS = 3_000;

const TAKES_LONG = Symbol('takes long');

/**
 * Marks an endpoint whose requests may take longer than the time limit. A long request ends with an error only if a database that it needs
 * does not answer.
 */
export const TakesLong = (): MethodDecorator => SetMetadata(TAKES_LONG, true);

/**
 * Answers `503` within the time limit if the work of a request hangs for any reason. The work may still finish; a retry with the same
 * idempotency key then returns its result.
 */
@Injectable()
export class TimeLimitInterceptor implements NestInterceptor {
  constructor(
    private readonly pool: Pool,
    private readonly feed: EventFeed,
  ) {}

  intercept(host: ExecutionContext, next: CallHandler): Observable<unknown> {
    const takesLong = Reflect.hasMetadata(TAKES_LONG, host.getHandler());
    return takesLong ? until(this.silence(), next.handle()) : within(LIMIT_MILLIS, next.handle());
  }

  /**
   * Emits when Postgres or the event store has failed two checks in a row. A single failed check may only mean that all connections are
   * busy.
   */
  private silence(): Observable<unknown> {
    return timer(LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS).pipe(
      exhaustMap(() =>
        runChecks({ postgres: () => this.pool.query('SELECT 1'), eventStore: () => this.feed.readHead() }),
      ),
      pairwise(),
      filter((looks) => looks.every(({ ready }) => !ready)),
    );
  }
}

/** Returns `work`, or an error if `late` emits first. */
function until(late: Observable<unknown>, work: Observable<unknown>): Observable<unknown> {
  const error = map(() => {
    throw outOfTime();
  });
  return race(work, late.pipe(error));
}

/**
 * Returns `work`, or an error if `work` has not emitted within the time. Every request passes through this function, so it creates as few
 * objects as possible.
 */
function within(millis: number, work: Observable<unknown>): Observable<unknown> {
  return new Observable((subscriber) => {
    const late = setTimeout(() => subscriber.error(outOfTime()), millis);
    subscriber.add(() => clearTimeout(late));
    work.subscribe(subscriber);
  });
}

/** Returns the result of `work`. Throws Unavailable (`timed_out`) if `work` takes longer than the time limit of a request. */
export async function withTimeLimit<T>(work: Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(outOfTime()), LIMIT_MILLIS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(late);
  }
}

function outOfTime(): Unavailable {
  return new Unavailable(
    'timed_out',
    'What was asked for took too long, and may still be done; try again, with the same idempotency key if there is one',
  );
}
