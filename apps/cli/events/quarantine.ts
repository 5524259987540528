import type { AllStreamResolvedEvent, EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { StreamNotFoundError } from '@eventstore/db-client';
import { digestOf } from '#libs/contexts/audit';
import { eventQuarantineDecider, type QuarantineCommand } from '#libs/contexts/event-quarantine';
import { AppError, deriveUuid } from '#libs/kernel/core';
import {
  QUARANTINE_ID,
  quarantinedNow,
  type EventMetadata,
  type QuarantineEntry,
  type RecordedEvent,
} from '#libs/kernel/domain';
import {
  AggregateStore,
  connectToLeader,
  EventCodec,
  noPersonalDataKeys,
  QuarantineReader,
  readEvents,
  systemContext,
  UnreadableEvent,
} from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { vocabulary } from '#libs/manifest';
import { CliError } from '../cli-error.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { countWithNoun } from '../wording.js';

/** What the commands on quarantined events need. */
interface Sources {
  readonly client: EventStoreDBClient;
  /** Reads events as if none were quarantined. */
  readonly codec: EventCodec;
  readonly quarantine: QuarantineReader;
}

type StoredEvent = NonNullable<ResolvedEvent['event']>;

/** Returns the events that were ever quarantined, in the order of the log. */
export async function listQuarantine(env: NodeJS.ProcessEnv): Promise<QuarantineEntry[]> {
  return withSources(env, async ({ quarantine }) =>
    Object.values(await quarantine.reload()).sort((a, b) => Number(BigInt(a.position) - BigInt(b.position))),
  );
}

/** Returns the events that are still quarantined, in the order of the log. */
export async function listQuarantinedNow(env: NodeJS.ProcessEnv): Promise<QuarantineEntry[]> {
  return withSources(env, async ({ quarantine }) => quarantinedNow(await quarantine.reload()));
}

/**
 * Sets the event at a position aside, so that readers of the log skip it. Throws a {@link CliError} if there is no event, if readers do not
 * stop at it, or if later events of its stream need it.
 */
export async function quarantineEvent(
  position: string,
  reason: string,
  env: NodeJS.ProcessEnv,
): Promise<QuarantineEntry> {
  return withSources(env, async (sources) => {
    const event = await eventAt(sources, position);
    const stream = await eventsOf(sources, event.streamId);
    const followers = stream.filter(({ revision }) => revision > event.revision);
    const decided = await decide(sources, event, {
      type: 'QuarantineEvent',
      at: systemClock.now(),
      event: {
        position,
        stream: event.streamId,
        revision: String(event.revision),
        eventType: event.type,
        eventId: event.id,
        digest: digestOf(recordedOf(event)),
      },
      firstUnreadableRevision: await firstUnreadableRevision(sources, stream),
      followers: followers.map(positionAndRevisionOf),
      reason,
    });
    const now = await eventsOf(sources, event.streamId);
    if (now.length > stream.length)
      throw new CliError(
        `The event at position ${position} is quarantined, but an event followed it in ${event.streamId} meanwhile. Readers of the log ` +
          `stop at position ${positionAndRevisionOf(now.at(-1)!).position}; quarantine that event too`,
      );
    return decided;
  });
}

/**
 * Lets a quarantined event be processed, at the place of its release in the log. Throws a {@link CliError} if it is not quarantined, or if
 * this program cannot read it.
 */
export async function releaseEvent(
  position: string,
  reason: string,
  env: NodeJS.ProcessEnv,
): Promise<QuarantineEntry> {
  return withSources(env, async (sources) => {
    const event = await eventAt(sources, position);
    return decide(sources, event, {
      type: 'ReleaseEvent',
      at: systemClock.now(),
      position,
      event: {
        id: event.id,
        type: event.type,
        data: event.data as object,
        metadata: (event.metadata ?? {}) as object,
        stream: event.streamId,
        revision: String(event.revision),
        created: event.created.toISOString(),
      },
      canBeRead: await canRead(sources, event),
      reason,
    });
  });
}

/** Lets a quarantined event count as if it had never been appended. Throws a {@link CliError} if it is not quarantined. */
export async function discardEvent(
  position: string,
  reason: string,
  env: NodeJS.ProcessEnv,
): Promise<QuarantineEntry> {
  return withSources(env, async (sources) => {
    const event = await eventAt(sources, position);
    return decide(sources, event, { type: 'DiscardEvent', at: systemClock.now(), position, reason });
  });
}

/** Describes the events of the quarantine, one a line. */
export function describeQuarantine(entries: readonly QuarantineEntry[]): string {
  if (entries.length === 0) return 'No event was ever quarantined\n';
  return entries.map((entry) => `${describeEntry(entry)}\n`).join('');
}

/** Describes one event of the quarantine, with its state and its reason. */
export function describeEntry({ position, eventType, stream, status, at, reason }: QuarantineEntry): string {
  return `position ${position}  ${eventType} of ${stream}: ${status} (quarantined ${at}): ${reason}`;
}

/**
 * Writes a line for each event that is still quarantined, and sets the exit code to 1 if there is one. Every command that verifies calls
 * it, since what the event would have done is in no read model.
 *
 * @param json true if the standard output has JSON; the lines then go to the standard error
 */
export async function reportQuarantined(env: NodeJS.ProcessEnv, json: boolean | undefined): Promise<void> {
  const entries = await listQuarantinedNow(env);
  if (entries.length === 0) return;
  const output = json ? process.stderr : process.stdout;
  output.write(describeQuarantine(entries));
  output.write(
    `${countWithNoun(entries.length, 'quarantined event')}: "countinghouse events --help" says how to resolve this\n`,
  );
  process.exitCode = 1;
}

async function withSources<T>(env: NodeJS.ProcessEnv, work: (sources: Sources) => Promise<T>): Promise<T> {
  const { eventStoreUrl } = await readSettingsWithServerUrls(env, ['eventStoreUrl']);
  const client = connectToLeader(eventStoreUrl);
  try {
    const codec = new EventCodec(noPersonalDataKeys, vocabulary());
    return await work({ client, codec, quarantine: new QuarantineReader(client) });
  } catch (error) {
    throw error instanceof AppError ? new CliError(error.message) : error;
  } finally {
    await client.dispose();
  }
}

async function eventAt({ client }: Sources, position: string): Promise<StoredEvent> {
  const missing = new CliError(
    `There is no event at position ${position}; the error of the reader names the position`,
  );
  if (!/^\d{1,18}$/.test(position)) throw missing;
  const commit = BigInt(position);
  const read = await readEvents<AllStreamResolvedEvent>(() =>
    client.readAll({ fromPosition: { commit, prepare: commit }, maxCount: 1 }),
  ).catch((error: unknown) => {
    // The embedded node refuses a position behind the end of the log.
    if ((error as { code?: unknown }).code === 3) throw missing;
    throw error;
  });
  const event = read[0]?.event;
  if (event?.position.commit !== commit) throw missing;
  return event;
}

async function eventsOf({ client }: Sources, stream: string): Promise<StoredEvent[]> {
  try {
    const read = await readEvents<ResolvedEvent>(() => client.readStream(stream));
    return read.flatMap(({ event }) => event ?? []);
  } catch (error) {
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  }
}

/** Returns the revision of the first event of a stream that this program cannot read. Null if it can read all of them. */
async function firstUnreadableRevision(sources: Sources, stream: StoredEvent[]): Promise<string | null> {
  for (const event of stream) if (!(await canRead(sources, event))) return String(event.revision);
  return null;
}

async function canRead({ codec }: Sources, event: StoredEvent): Promise<boolean> {
  try {
    await codec.decode([{ event }]);
    return true;
  } catch (error) {
    if (error instanceof UnreadableEvent) return false;
    throw error;
  }
}

async function decide(
  { client, quarantine }: Sources,
  event: StoredEvent,
  command: QuarantineCommand,
): Promise<QuarantineEntry> {
  const position = String(event.position!.commit);
  const { workspaceId = 'system' } = (event.metadata ?? {}) as Partial<EventMetadata>;
  const context = systemContext({
    workspaceId,
    now: command.at,
    process: 'operator',
    commandId: deriveUuid('event quarantine', command.type, position),
  });
  // The store of the quarantine itself is read as it is, with the marks of released events.
  const aggregates = new AggregateStore(client, new EventCodec(noPersonalDataKeys, vocabulary()));
  await aggregates.execute(eventQuarantineDecider, QUARANTINE_ID, context, command);
  return (await quarantine.reload())[position]!;
}

function positionAndRevisionOf({ position, revision }: StoredEvent): { position: string; revision: string } {
  return { position: String(position!.commit), revision: String(revision) };
}

/** Returns the event as the audit trail hashes it. */
function recordedOf(event: StoredEvent): RecordedEvent {
  return {
    id: event.id,
    type: event.type,
    data: event.data as object,
    storedData: event.data as object,
    metadata: (event.metadata ?? {}) as unknown as EventMetadata,
    stream: event.streamId,
    revision: BigInt(event.revision),
    position: event.position!.commit,
    recordedAt: event.created,
  };
}
