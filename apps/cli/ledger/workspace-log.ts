import '#libs/catalog';
import '#libs/identity';
import '#libs/invoicing';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { Instant } from '#libs/core';
import {
  EventCodec,
  EventFeed,
  withoutPersonalData,
  type Position,
  type RecordedEvent,
} from '#libs/event-store';
import { CliError } from '../cli-error.js';
import { startProgress } from '../progress.js';
import { settingsOfInstance } from '../start/running-instance.js';

/** What was read of a workspace's events. */
export interface ReadLog {
  /** How many events there were of all workspaces, and how many of the one. */
  readonly events: number;
  readonly ofWorkspace: number;
  /** The position up to which the log was read. */
  readonly position: Position;
  /** The workspace's time at the last of its events. */
  readonly latest: Instant;
  /** Whether the workspace's clock is its own, and may stand still. */
  readonly isSandbox: boolean;
}

const BATCH = 1_000;
const SHOWN_WORKSPACES = 5;

/**
 * Reads a workspace's events straight from the event store, from the first to the newest, or to the one at `through`;
 * nothing else is asked, neither a read model nor the keys of personal data. A progress bar shows how far it is.
 * Throws a {@link CliError} if the store cannot be reached or knows no such workspace.
 */
export async function readWorkspace(
  accountId: string,
  env: NodeJS.ProcessEnv,
  through: Position | undefined,
  take: (event: RecordedEvent) => void,
): Promise<ReadLog> {
  const { eventStoreUrl } = await settingsOfInstance(env, ['eventStoreUrl']);
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  try {
    const feed = new EventFeed(client, new EventCodec(withoutPersonalData));
    const head = await feed.head().catch((error: Error) => {
      throw new CliError(`The event store cannot be reached (${error.message}); check EVENTSTORE_URL`);
    });
    const end = through === undefined || (head !== undefined && head < through) ? head : through;
    return await readThrough(feed, accountId, end ?? -1n, take);
  } finally {
    await client.dispose();
  }
}

async function readThrough(
  feed: EventFeed,
  accountId: string,
  end: Position,
  take: (event: RecordedEvent) => void,
): Promise<ReadLog> {
  const others = new Set<string>();
  const read = { events: 0, ofWorkspace: 0, latest: '', isSandbox: true };
  const progress = startProgress(Number(end), 'events', process.stderr);
  try {
    for await (const event of eventsThrough(feed, end)) {
      read.events += 1;
      if (read.events % BATCH === 0) progress.update(Number(event.position), read.events);
      if (event.metadata.accountId !== accountId) {
        if (others.size < SHOWN_WORKSPACES) others.add(event.metadata.accountId);
        continue;
      }
      read.ofWorkspace += 1;
      read.latest = event.metadata.occurredAt;
      if (event.type === 'WorkspaceCreated')
        read.isSandbox = (event.data as { mode?: unknown }).mode !== 'live';
      take(event);
    }
    progress.update(Number(end), read.events);
  } finally {
    progress.stop();
  }
  if (read.ofWorkspace === 0) throw noSuchWorkspace(accountId, [...others]);
  return { ...read, position: end };
}

async function* eventsThrough(feed: EventFeed, end: Position): AsyncGenerator<RecordedEvent> {
  if (end < 0n) return;
  for await (const { events, position } of feed.batches(undefined, BATCH, new AbortController().signal)) {
    for (const event of events) if (event.position <= end) yield event;
    if (position >= end) return;
  }
}

function noSuchWorkspace(accountId: string, others: string[]): CliError {
  const known = others.filter((id) => id.startsWith('acc_'));
  const remedy = known.length === 0 ? 'nor of any other' : `but of ${known.join(', ')}`;
  return new CliError(`The event store has no event of the workspace "${accountId}", ${remedy}`);
}
