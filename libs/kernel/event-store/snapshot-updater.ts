import type { EventStoreDBClient } from '@eventstore/db-client';
import { Unavailable } from '#libs/kernel/core';
import { fold, type Decider, type DomainEvent, type RecordedEvent } from '#libs/kernel/domain';
import type { EventCodec } from './codec.js';
import type { CommandContext } from './context.js';
import { StreamReader } from './stream-reader.js';
import { StreamWriter } from './stream-writer.js';
import { toEventStoreUnavailable } from './unavailable.js';

/**
 * The state of an aggregate, as the caller of {@link SnapshotUpdater} stores it. The state includes the stream's events up to `revision`;
 * -1 means no events.
 */
export interface Snapshot<State> {
  readonly state: State | undefined;
  readonly revision: bigint;
}

/**
 * Brings the stored states of aggregates up to date, and appends events to their streams. The class is for streams that grow too long to be
 * read for each command. The caller stores the snapshots, and runs the commands of one stream one after another.
 */
export class SnapshotUpdater {
  private readonly reader: StreamReader;
  private readonly writer: StreamWriter;

  constructor(client: EventStoreDBClient, codec: EventCodec) {
    this.reader = new StreamReader(client, codec);
    this.writer = new StreamWriter(client, codec);
  }

  /**
   * Returns the newest state, and the events that the snapshot did not include. Throws Unavailable if the event store does not answer.
   */
  async readNewest<State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    id: string,
    { state, revision }: Snapshot<State>,
  ): Promise<Snapshot<State> & { readonly since: readonly RecordedEvent[] }> {
    const since = await this.read(decider, id, revision + 1n);
    return {
      state: fold(decider, since as unknown as Event[], state),
      revision: since.at(-1)?.revision ?? revision,
      since,
    };
  }

  /**
   * Appends events after the snapshot, and returns the snapshot that includes them. Returns undefined if the stream has later events than
   * the snapshot. Throws Unavailable if the event store does not answer; the events may then have been appended.
   */
  async append<State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    id: string,
    context: CommandContext,
    { state, revision }: Snapshot<State>,
    events: Event[],
  ): Promise<Snapshot<State> | undefined> {
    const outcome = await this.writer.append(`${decider.category}-${id}`, revision, events, context);
    if (outcome instanceof Unavailable) throw outcome;
    if (outcome === 'conflict') return undefined;
    return { state: fold(decider, events, state), revision: revision + BigInt(events.length) };
  }

  private async read(
    { category }: { category: string },
    id: string,
    fromRevision: bigint,
  ): Promise<RecordedEvent[]> {
    try {
      return await this.reader.read(`${category}-${id}`, { fromRevision });
    } catch (error) {
      throw toEventStoreUnavailable(error) ?? error;
    }
  }
}
