import type { EventBatch, EventFeed } from '#libs/kernel/event-store';
import type { Position } from '#libs/kernel/domain';
import type { ModelBuild } from './model-build.js';

/** Events that are read, folded and written at a time. */
const BATCH_EVENTS = 10_000;

/** The settings of a fill. */
export interface FillOptions {
  readonly signal: AbortSignal;
  /** Hears how far reading has come, and after how many events. */
  readonly reached?: (position: Position, events: number) => void;
  /** There is more to read than a moment's worth. */
  readonly isLong?: boolean;
  /** Up to where each build is filled; to the end of the log if it is not given. */
  readonly upTo?: ReadonlyMap<ModelBuild, Position>;
}

/**
 * Gives the builds everything that the log has for them now, from one reading for all of them, and resolves to how many
 * events that was. Rejects with the first failure, when nothing is being written any more.
 */
export async function fill(
  builds: readonly ModelBuild[],
  feed: EventFeed,
  { signal, reached, isLong, upTo }: FillOptions,
): Promise<number> {
  const end = upTo && [...upTo.values()].reduce((a, b) => (a > b ? a : b));
  let events = 0;
  try {
    for await (const batch of feed.history(lowest(builds), BATCH_EVENTS, signal, isLong)) {
      for (const build of builds) build.give(partUpTo(batch, upTo?.get(build)));
      for (const build of builds) await build.room();
      events += batch.events.length;
      reached?.(batch.position, events);
      if (end !== undefined && batch.position >= end) break;
    }
    for (const build of builds) await build.settled();
  } finally {
    await Promise.allSettled(builds.map((build) => build.settled()));
  }
  signal.throwIfAborted();
  return events;
}

/** The position behind which some build lacks events; undefined if one lacks them all. */
export function lowest(builds: readonly ModelBuild[]): Position | undefined {
  return builds
    .map(({ position }) => position)
    .reduce((a, b) => (a === undefined || b === undefined ? undefined : a < b ? a : b));
}

function partUpTo({ events, position }: EventBatch, end: Position | undefined): EventBatch {
  if (end === undefined || position <= end) return { events, position };
  return { events: events.filter((event) => event.position <= end), position: end };
}
