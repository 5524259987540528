import type { Instant } from '#libs/kernel/core';
import {
  connectToLeader,
  EventCodec,
  EventFeed,
  noPersonalDataKeys,
  QuarantineReader,
  type PersonalDataKeySource,
} from '#libs/kernel/event-store';
import { type Position, type RecordedEvent } from '#libs/kernel/domain';
import { vocabulary } from '#libs/manifest';
import { eventsThrough } from '#libs/outputs/books';
import { CliError } from '../cli-error.js';
import { KnownWorkspaces } from '../known-workspaces.js';
import { startProgress } from '../progress.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { UNTIL_FORMS } from './options.js';

/** The result of reading a workspace's events. */
export interface WorkspaceLogSummary {
  /** The number of events read, of all workspaces. */
  readonly eventCount: number;
  /** The number of events of the wanted workspace. */
  readonly workspaceEventCount: number;
  /** The position up to which the log was read. */
  readonly position: Position;
  /** The time of the workspace's last event, by the workspace's clock. */
  readonly latestWorkspaceInstant: Instant;
  /** The real time at which the event store stored the last event that was read, of any workspace. */
  readonly latestRecordedAt: Instant;
  /** Tells whether the workspace is a sandbox. A sandbox has its own clock, which can stand still. */
  readonly isSandbox: boolean;
}

/**
 * Reads a workspace's events directly from the event store, from the first event to the newest, or to the event at position `through`. The
 * function uses no read model, and decrypts personal data only if `keys` is given. A progress bar is shown on the standard error output.
 * Throws a {@link CliError} if the store cannot be reached or has no event of the workspace.
 */
export async function readWorkspaceEvents(
  workspaceId: string,
  env: NodeJS.ProcessEnv,
  through: Position | undefined,
  take: (event: RecordedEvent) => void,
  keys: PersonalDataKeySource = noPersonalDataKeys,
): Promise<WorkspaceLogSummary> {
  return useEventLog(env, keys, async (feed, head) => {
    const end = through === undefined || (head !== undefined && head < through) ? head : through;
    const read = await readThrough(feed, workspaceId, end ?? -1n, take);
    if (read.workspaceEventCount > 0) return read;
    const missing = `The event store has no event of the workspace "${workspaceId}"`;
    throw new CliError(
      through === undefined
        ? `${missing}; it has ${read.others}`
        : `${missing} up to position ${through}, where it has ${read.others}. --until takes ${UNTIL_FORMS}`,
    );
  });
}

/**
 * Returns the first event of a workspace that matches, or undefined if no event matches. Throws a {@link CliError} if the event store
 * cannot be reached.
 */
export async function findFirstWorkspaceEvent(
  workspaceId: string,
  env: NodeJS.ProcessEnv,
  isTheOne: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent | undefined> {
  return useEventLog(env, noPersonalDataKeys, async (feed, end = -1n) => {
    for await (const { events } of eventsThrough(feed, end, new AbortController().signal))
      for (const event of events)
        if (event.metadata.workspaceId === workspaceId && isTheOne(event)) return event;
    return undefined;
  });
}

/** Returns the given workspace. If the id is undefined, throws a {@link CliError} that names the first few workspaces. */
export async function requireWorkspace(given: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  if (given !== undefined) return given;
  const known = new KnownWorkspaces();
  await useEventLog(env, noPersonalDataKeys, async (feed, end = -1n) => {
    for await (const { events } of eventsThrough(feed, end, new AbortController().signal))
      for (const event of events) {
        known.observe(event);
        if (known.isFull) return;
      }
  });
  throw new CliError(
    `--workspace is missing: give the id of a workspace. The event store has ${known.listText()}; GET /v1/users/me shows ` +
      "a user's own workspace as accountId",
  );
}

async function useEventLog<T>(
  env: NodeJS.ProcessEnv,
  keys: PersonalDataKeySource,
  work: (feed: EventFeed, head: Position | undefined) => Promise<T>,
): Promise<T> {
  const { eventStoreUrl } = await readSettingsWithServerUrls(env, ['eventStoreUrl']);
  const client = connectToLeader(eventStoreUrl);
  try {
    const feed = new EventFeed(client, new EventCodec(keys, vocabulary(), new QuarantineReader(client)));
    const head = await feed.readHead().catch((error: Error) => {
      throw new CliError(`The event store cannot be reached (${error.message}); check EVENTSTORE_URL`);
    });
    return await work(feed, head);
  } finally {
    await client.dispose();
  }
}

async function readThrough(
  feed: EventFeed,
  workspaceId: string,
  end: Position,
  take: (event: RecordedEvent) => void,
): Promise<WorkspaceLogSummary & { readonly others: string }> {
  const others = new KnownWorkspaces();
  const read = {
    eventCount: 0,
    workspaceEventCount: 0,
    latestWorkspaceInstant: '',
    latestRecordedAt: '',
    isSandbox: true,
  };
  const progress = startProgress(Number(end), 'events', process.stderr);
  try {
    for await (const { events, position } of eventsThrough(feed, end, new AbortController().signal)) {
      for (const event of events) {
        read.eventCount += 1;
        read.latestRecordedAt = event.recordedAt.toISOString();
        if (event.metadata.workspaceId !== workspaceId) {
          others.observe(event);
          continue;
        }
        read.workspaceEventCount += 1;
        read.latestWorkspaceInstant = event.metadata.occurredAt;
        if (event.type === 'WorkspaceCreated')
          read.isSandbox = (event.data as { mode?: unknown }).mode !== 'live';
        take(event);
      }
      progress.update(Number(position), read.eventCount);
    }
    progress.update(Number(end), read.eventCount);
  } finally {
    progress.stop();
  }
  return { ...read, position: end, others: others.listText() };
}
