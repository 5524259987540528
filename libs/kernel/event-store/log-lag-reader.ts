import { type AllStreamResolvedEvent, type EventStoreDBClient, FORWARDS, START } from '@eventstore/db-client';
import { systemClock } from '#libs/kernel/system';
import type { EventFeed } from './event-feed.js';
import { readEvents } from './leader-client.js';
import type { Position } from '#libs/kernel/domain';

/** The lag of a reader behind the end of the log. */
export interface Lag {
  /**
   * The difference between the position of the newest event and the position of the reader. In the embedded node, each event has one
   * position; in EventStoreDB, positions count the bytes of the log.
   */
  readonly positions: number;
  /** The time since the oldest unread event was recorded, in seconds; 0 if every event has been read. */
  readonly seconds: number;
}

const NONE: Lag = { positions: 0, seconds: 0 };
const PAGE = 32;

/** Computes the lag of readers of the log. The class is for operators only, since each call reads the log. */
export class LogLagReader {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly feed: EventFeed,
  ) {}

  /**
   * Returns the lag of each reader, in the given order. `readers` are the positions that the readers have reached. A reader that has read
   * nothing has the position undefined.
   */
  async lagOf(readers: readonly (Position | undefined)[]): Promise<Lag[]> {
    const head = await this.feed.readHead();
    if (head === undefined) return readers.map(() => NONE);
    // Nearly always, all readers are at the same position.
    const known = new Map<Position | undefined, Lag>();
    for (const position of new Set(readers)) known.set(position, await this.lag(position, head));
    return readers.map((position) => known.get(position)!);
  }

  private async lag(position: Position | undefined, head: Position): Promise<Lag> {
    if (position !== undefined && position >= head) return NONE;
    const since = await this.recordedAfter(position);
    const seconds =
      since === undefined ? 0 : Math.max(0, (systemClock.nowMillis() - since.getTime()) / 1_000);
    return { positions: Number(head - (position ?? -1n)), seconds };
  }

  /** The time at which the first event after a position was recorded. System events are ignored. */
  private async recordedAfter(position: Position | undefined): Promise<Date | undefined> {
    let from: typeof START | { commit: bigint; prepare: bigint } =
      position === undefined ? START : { commit: position, prepare: position };
    for (;;) {
      const start: typeof START | { commit: bigint; prepare: bigint } = from;
      // A read must be finished, because an unfinished read stays open on the server.
      const resolved: AllStreamResolvedEvent[] = await readEvents(() =>
        this.client.readAll({ direction: FORWARDS, fromPosition: start, maxCount: PAGE }),
      );
      const events = resolved.flatMap(({ event }) => event ?? []);
      const next = events.find(
        (event) => !event.streamId.startsWith('$') && event.position.commit > (position ?? -1n),
      );
      if (next) return next.created;
      // A page begins with the last event of the previous page.
      if (events.length < 2) return undefined;
      from = events.at(-1)!.position;
    }
  }
}
