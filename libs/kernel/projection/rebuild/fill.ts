import type { EventBatch, EventFeed } from '#libs/kernel/event-store';
import type { Position } from '#libs/kernel/domain';
import type { ModelBuild } from './model-build.js';

/** The number of events that are read at a time. */
const BATCH_EVENTS = 10_000;

/** The settings of a fill. */
export interface FillOptions {
  readonly signal: AbortSignal;
  /** This function is called with the position that reading has reached, and the number of events read so far. */
  readonly reportPosition?: (position: Position, events: number) => void;
  /** Tells whether many events have to be read. If true, a separate thread can read them. */
  readonly isLong?: boolean;
  /** The position up to which each build is filled. Default: the end of the log. */
  readonly endPositions?: ReadonlyMap<ModelBuild, Position>;
}

/**
 * Reads all present events of the log once, and adds them to all builds. Returns the number of events that were read. Rejects with the
 * first failure, after all writes have ended.
 */
export async function fillBuilds(
  builds: readonly ModelBuild[],
  feed: EventFeed,
  { signal, reportPosition: reached, isLong, endPositions: upTo }: FillOptions,
): Promise<number> {
  const end = upTo && [...upTo.values()].reduce((a, b) => (a > b ? a : b));
  let events = 0;
  try {
    for await (const batch of feed.history(lowestPosition(builds), BATCH_EVENTS, signal, isLong)) {
      for (const build of builds) build.addBatch(partUpTo(batch, upTo?.get(build)));
      for (const build of builds) await build.waitForRoom();
      events += batch.events.length;
      reached?.(batch.position, events);
      if (end !== undefined && batch.position >= end) break;
    }
    await Promise.all(builds.map((build) => build.waitUntilWritten()));
  } finally {
    await Promise.allSettled(builds.map((build) => build.waitUntilWritten()));
  }
  signal.throwIfAborted();
  return events;
}

/** The lowest of the positions that the builds have reached; undefined if one of the builds has no events yet. */
export function lowestPosition(builds: readonly ModelBuild[]): Position | undefined {
  return builds
    .map(({ position }) => position)
    .reduce((a, b) => (a === undefined || b === undefined ? undefined : a < b ? a : b));
}

function partUpTo({ events, position }: EventBatch, end: Position | undefined): EventBatch {
  if (end === undefined || position <= end) return { events, position };
  return { events: events.filter((event) => event.position <= end), position: end };
}
