import type { PoolClient } from 'pg';
import type { EventFeed } from '#libs/kernel/event-store';
import type { Position, RecordedEvent } from '#libs/kernel/domain';
import { loadCheckpoints, type Checkpoint } from '../checkpoints.js';
import { lowestPosition } from './fill.js';
import type { ModelBuild } from './model-build.js';

/** The largest number of events missing in a build that the build adds while the projector waits. */
export const MAX_CATCH_UP_EVENTS = 1_000;

/** The builds miss too many events to add them while the projector waits. */
export class TooFarBehind extends Error {}

/**
 * Locks the checkpoints of the live models that have a build, and returns all checkpoints by name. The locked checkpoints cannot move until
 * the transaction ends.
 */
export async function lockCheckpoints(
  tx: PoolClient,
  builds: readonly ModelBuild[],
): Promise<Map<string, Checkpoint>> {
  await tx.query('SELECT 1 FROM projection.checkpoints WHERE name = ANY ($1) ORDER BY name FOR UPDATE', [
    builds.map(({ name }) => name),
  ]);
  return loadCheckpoints(tx);
}

/**
 * Adds to each build the events that its live model already has, and returns the new position of each build. Throws {@link TooFarBehind} if
 * a build misses too many events; the build must then be filled first. Throws when `signal` is aborted before all events are read.
 */
export async function catchUp(
  tx: PoolClient,
  builds: readonly ModelBuild[],
  live: Map<string, Checkpoint>,
  { feed, signal }: { feed: EventFeed; signal: AbortSignal },
): Promise<Map<string, Position | undefined>> {
  const positions = new Map(builds.map(({ name, position }) => [name, position]));
  const behind = builds.filter((build) => isBehind(build, live.get(build.name)?.position));
  const target = behind.reduce((most, { name }) => {
    const position = live.get(name)!.position!;
    return most > position ? most : position;
  }, -1n);
  const missing: RecordedEvent[] = [];
  if (behind.length > 0)
    for await (const { events, position } of feed.history(
      lowestPosition(behind),
      MAX_CATCH_UP_EVENTS,
      signal,
    )) {
      missing.push(...events.filter((event) => event.position <= target));
      if (missing.length > MAX_CATCH_UP_EVENTS) throw new TooFarBehind();
      if (position >= target) break;
    }
  // Reading ends early when the signal is aborted. Events would then be missing for good.
  signal.throwIfAborted();
  for (const build of behind) {
    const position = live.get(build.name)!.position!;
    const events = missing.filter((event) => event.position <= position);
    await build.write(tx, events, position);
    positions.set(build.name, position);
  }
  return positions;
}

function isBehind({ position }: ModelBuild, live: Position | undefined): boolean {
  return live !== undefined && (position === undefined || position < live);
}
