import { once, type EventEmitter } from 'node:events';
import { TimeoutError, type RecordedEvent } from '@eventstore/db-client';

interface FollowedEvent {
  event?: RecordedEvent;
}

/** The parts of the client's subscriptions that are used here; its streams are typed by their events. */
type Subscription = EventEmitter & {
  pause(): unknown;
  resume(): unknown;
  unsubscribe(): Promise<void>;
};

/** Subscribes behind an event, or from the start. */
type SubscribeBehind = (last: RecordedEvent | undefined) => unknown;

/** Follows a subscription from now on. */
export function follow(subscription: unknown): Followed {
  return new Followed(subscription as Subscription);
}

/** Likewise, and follows the next one whenever the store ends one because its reader is too slow. */
export function followOn(subscribe: SubscribeBehind): Followed {
  return new Followed(subscribe(undefined) as Subscription, subscribe);
}

/** What a subscription has yielded so far, and ways to wait for what it has yet to yield. */
export class Followed {
  readonly events: FollowedEvent[] = [];
  caughtUpCount = 0;
  /** How many subscriptions the store ended because their reader was too slow. */
  endedCount = 0;
  #subscription: Subscription;
  #isPaused = false;
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #confirmed: Promise<unknown>;
  readonly #failure = Promise.withResolvers<Error>();
  #waiting: { condition: () => boolean; resolve: () => void }[] = [];

  constructor(subscription: Subscription, again?: SubscribeBehind) {
    this.#subscription = subscription;
    this.#confirmed = once(subscription, 'confirmation');
    // A caller that waits for the confirmation gets the failure. Other callers need not.
    this.#confirmed.catch(() => undefined);
    this.#listen(again);
  }

  #listen(again: SubscribeBehind | undefined): void {
    const subscription = this.#subscription;
    subscription.on('caughtUp', () => {
      this.caughtUpCount += 1;
      this.#caughtUp.resolve();
    });
    subscription.on('error', (error: Error) => {
      if (!again || !(error instanceof TimeoutError)) return this.#failure.resolve(error);
      this.endedCount += 1;
      this.#subscription = again(this.events.at(-1)?.event) as Subscription;
      if (this.#isPaused) this.#subscription.pause();
      this.#listen(again);
    });
    subscription.on('data', (event: FollowedEvent) => {
      this.events.push(event);
      this.changed();
    });
  }

  /** The `n` of every event, as `numbered` wrote it. */
  numbers(): number[] {
    return this.events.map(({ event }) => (event?.data as { n: number }).n);
  }

  numbersOf(stream: string): number[] {
    return this.events
      .filter(({ event }) => event?.streamId === stream)
      .map(({ event }) => (event?.data as { n: number }).n);
  }

  confirmed(): Promise<unknown> {
    return this.#confirmed;
  }

  /** Resolves when the subscription has caught up and everything before that has been handed out. */
  async caughtUp(): Promise<void> {
    await this.#caughtUp.promise;
    // The event is emitted as it comes in, while the events before it may still be on their way out.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  failure(): Promise<Error> {
    return this.#failure.promise;
  }

  /** Resolves when the condition holds; it is asked at every event, and whenever {@link changed} is called. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ condition, resolve }));
  }

  changed(): void {
    const met = this.#waiting.filter(({ condition }) => condition());
    this.#waiting = this.#waiting.filter((one) => !met.includes(one));
    for (const { resolve } of met) resolve();
  }

  pause(): void {
    this.#isPaused = true;
    this.#subscription.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#subscription.resume();
  }

  stop(): Promise<void> {
    return this.#subscription.unsubscribe();
  }
}
