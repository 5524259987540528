import { type EventStoreDBClient, StreamNotFoundError, type ReadStreamOptions } from '@eventstore/db-client';
import { Conflict, Unavailable, type Instant } from '#libs/kernel/core';
import { KeyedConcurrencyLimits, Backoff, CoalescedReads } from '#libs/kernel/system';
import { runInSpan, type SpanDescription } from '#libs/kernel/telemetry';
import { type EventCodec } from './codec.js';
import type { CommandContext } from './context.js';
import {
  fold,
  STREAM_CLOSED,
  type Decider,
  type DomainEvent,
  type Position,
  type RecordedEvent,
} from '#libs/kernel/domain';
import { readEvents } from './leader-client.js';
import { RecentStreams, type StreamEntry } from './recent-streams.js';
import { streamCacheInUse } from './seen-streams.js';
import { StreamWriter } from './stream-writer.js';
import { toEventStoreUnavailable } from './unavailable.js';
import { recordWrite } from './write-tracker.js';

/** The result of a command: the new state, and the appended events. A command that had run before appends no events. */
export interface CommandResult<State, Event> {
  readonly state: State;
  readonly events: Event[];
  /** The revision of the stream after the command. */
  readonly revision: bigint;
}

/** The effect that a command would have: the state before and after its events. */
export interface CommandPreview<State, Event> {
  readonly before: State | undefined;
  readonly after: State;
  readonly events: readonly Event[];
}

/** The settings of an {@link AggregateStore}. */
export interface AggregateStoreOptions {
  /** The maximum time for which a command waits and retries, in milliseconds. */
  retryMillis?: number;
  /** The largest number of streams whose state is kept in memory. */
  cacheSize?: number;
}

/**
 * The stream of the aggregate was closed before the aggregate was created. An aggregate whose stream is closed can only be created under
 * another id.
 */
export class StreamClosed extends Conflict {
  constructor() {
    super('concurrent_modification', 'Another change at the same moment came first; try again');
  }
}

const RETRY_MILLIS = 5_000;
const CACHE_SIZE = 20_000;
/** The largest number of waiting commands of one stream. More waiting commands than this limit mean an error or an attack. */
const MAX_WAITING = 1_000;
/**
 * The pauses before a command is decided again because another process has appended to the stream first. The first pause is short, because
 * the append of a competing process takes only a few milliseconds.
 */
const AFTER_CONFLICT = { firstMillis: 4, maxMillis: 64 };
const AFTER_UNAVAILABLE = { firstMillis: 50, maxMillis: 500 };

const NEW_STREAM: StreamEntry<never> = {
  state: undefined,
  revision: -1n,
  position: 0n,
  commandIds: new Set(),
  isClosed: false,
};

/**
 * Loads an aggregate, decides a command, and appends its events. The state of recently used streams is kept in memory. A decision on a
 * state in memory is safe, since the append fails if the stream has events that the state does not include. A state in memory can be
 * outdated, so a command is refused only after it was decided again on a state that was just read.
 *
 * Commands of one stream take turns within the process, so they do not compete with each other. If two processes append with the same
 * expected revision, one append fails, and that process decides its command again. Reads never wait.
 */
export class AggregateStore {
  private readonly writer: StreamWriter;
  private readonly recent: RecentStreams;
  /**
   * The streams that are being loaded. Concurrent commands often need the same stream, such as that of a plan or a metric, and share one
   * read of it.
   */
  private readonly loading = new CoalescedReads<StreamEntry<unknown>>();
  private readonly retryMillis: number;
  private readonly commands: KeyedConcurrencyLimits;
  private readonly changes: KeyedConcurrencyLimits;

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly codec: EventCodec,
    { retryMillis = RETRY_MILLIS, cacheSize = CACHE_SIZE }: AggregateStoreOptions = {},
  ) {
    this.writer = new StreamWriter(client, codec);
    this.retryMillis = retryMillis;
    this.recent = new RecentStreams(cacheSize);
    const turns = {
      maxRunning: 1,
      maxWaiting: MAX_WAITING,
      waitMillis: retryMillis,
      createRefusal: tooManyAtWork,
    };
    this.commands = new KeyedConcurrencyLimits(turns);
    this.changes = new KeyedConcurrencyLimits(turns);
  }

  /**
   * Returns the aggregate's present state. Reads only those events from the stream that the state in memory does not include yet.
   *
   * @param acceptsStale whether a remembered state is good enough, even if it may be outdated. A caller that runs {@link execute} next can
   * accept an outdated state, since the append then detects it.
   */
  async load<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    acceptsStale: (state: State) => boolean = () => false,
  ): Promise<State | undefined> {
    const stream = streamName(decider, id);
    const seen = streamCacheInUse();
    const entry =
      seen?.get(stream) ??
      this.remembered(stream, acceptsStale) ??
      (await this.loading.read(stream, () => this.refresh(decider, stream)));
    seen?.set(stream, entry);
    return entry.state as State | undefined;
  }

  /**
   * Returns the aggregate's state before this log position. Events at or after the position are not included. Returns undefined if the
   * aggregate had no state yet. If no event was appended since that position, the call costs no more than {@link load}.
   */
  async loadBefore<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    position: Position,
  ): Promise<State | undefined> {
    const stream = streamName(decider, id);
    const newest = await this.loading.read(stream, () => this.refresh(decider, stream));
    if (newest.position < position) return newest.state as State | undefined;
    const events = (await this.events(stream, {})) ?? [];
    const earlier = events.filter((event) => event.position < position);
    return fold(decider, earlier as unknown as Event[]);
  }

  /**
   * Returns the aggregate's state at an instant of the workspace's clock: events that occurred later are not included. Returns undefined if
   * the aggregate had no state yet. Reads the whole stream.
   */
  async loadAsOf<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    at: Instant,
  ): Promise<State | undefined> {
    const events = (await this.events(streamName(decider, id), {})) ?? [];
    const earlier = events.filter(({ metadata }) => metadata.occurredAt <= at);
    return fold(decider, earlier as unknown as Event[]);
  }

  /**
   * Returns the aggregate's state right after the command that appended the event at this revision of its stream. The state includes all
   * events of that command. Returns undefined if the stream does not exist.
   */
  async loadAt<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    revision: bigint,
  ): Promise<State | undefined> {
    const stream = streamName(decider, id);
    const known = this.recent.get<State>(stream);
    const from = known !== undefined && known.revision <= revision ? known : NEW_STREAM;
    // The events of a command are appended together, so a remembered state never lacks some of them.
    if (from.revision === revision) return from.state;
    const since = await this.events(stream, { fromRevision: from.revision + 1n });
    if (since === undefined) return undefined;
    const commandId = since.find((event) => event.revision === revision)?.metadata.commandId;
    const included = since.filter(
      (event) => event.revision <= revision || event.metadata.commandId === commandId,
    );
    return fold(decider, included as unknown as Event[], from.state);
  }

  /**
   * Runs one command on one aggregate. If a command with this id has run before, returns the state and appends nothing. Throws the errors
   * of `decide`, and these:
   *
   * - {@link StreamClosed} if the stream was closed while it was empty
   * - Conflict (`concurrent_modification`) if in every attempt another process has appended to the stream first
   * - Unavailable if the event store does not answer, or (`too_many_at_work`) if too many commands wait
   */
  async execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    context: CommandContext,
    command: Command,
  ): Promise<CommandResult<State, Event>> {
    const stream = streamName(decider, id);
    const backoff = new Backoff(this.retryMillis);
    return runInSpan(
      () => describe(decider.category, stream, context, command),
      () => this.commands.run(stream, () => this.decideAndAppend(decider, stream, context, command, backoff)),
    );
  }

  /**
   * Returns the aggregate's present state if a command with this id has run before. What the checks of a command read can have changed
   * since its first run. So a handler calls this method before its own checks, and a repeated command gets the answer of the first run.
   */
  async findRepeated<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    { commandId, mayRepeat }: Pick<CommandContext, 'commandId' | 'mayRepeat'>,
  ): Promise<State | undefined> {
    if (!mayRepeat) return undefined;
    const entry = await this.refresh<State, Command, Event>(decider, streamName(decider, id));
    if (!entry.commandIds.has(commandId)) return undefined;
    recordWrite(entry.position);
    return entry.state;
  }

  /**
   * Decides a command on the present state and appends nothing. Returns undefined if the command would change nothing, or if a command with
   * its id has run before. Throws the errors of `decide`, and {@link StreamClosed}.
   */
  async preview<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    context: Pick<CommandContext, 'commandId'>,
    command: Command,
  ): Promise<CommandPreview<State, Event> | undefined> {
    const entry = await this.refresh<State, Command, Event>(decider, streamName(decider, id));
    if (entry.isClosed) throw new StreamClosed();
    if (entry.commandIds.has(context.commandId)) return undefined;
    const events = decider.decide(command, entry.state);
    if (events.length === 0) return undefined;
    let after = entry.state;
    for (const event of events) after = decider.evolve(after, event);
    return { before: entry.state, after: after as State, events };
  }

  /**
   * Runs a change of one aggregate that first reads and then executes several commands. Within the process, only one change of an aggregate
   * runs at a time, from the start to the end of `change`. A command that is not part of a change does not wait for changes. A change must
   * not start another change.
   *
   * @param change gets the time limit for its retries
   */
  async runInTurn<T>(
    decider: { category: string },
    id: string,
    change: (backoff: Backoff) => Promise<T>,
  ): Promise<T> {
    const backoff = new Backoff(this.retryMillis);
    return this.changes.run(streamName(decider, id), () => change(backoff));
  }

  /**
   * Closes the stream of an aggregate that does not exist, so that the aggregate can never be created. Returns true if the stream is now
   * closed, and false if the aggregate exists. Throws Unavailable if the event store does not answer.
   */
  async closeEmptyStream(
    decider: { category: string },
    id: string,
    context: CommandContext,
  ): Promise<boolean> {
    const stream = streamName(decider, id);
    return this.commands.run(stream, async () => {
      const outcome = await this.writer.append(
        stream,
        NEW_STREAM.revision,
        [{ type: STREAM_CLOSED, data: {} }],
        context,
      );
      if (outcome instanceof Unavailable) throw outcome;
      if (outcome !== 'conflict') return true;
      const [first] = (await this.events(stream, { maxCount: 1 })) ?? [];
      return first?.type === STREAM_CLOSED;
    });
  }

  /** Forgets all states in memory, so that the next use of each reads its stream. The method is for the erasure of personal data. */
  forgetStates(): void {
    this.recent.clear();
  }

  private remembered<State>(
    stream: string,
    suffices: (state: State) => boolean,
  ): StreamEntry<State> | undefined {
    const known = this.recent.get<State>(stream);
    return known?.state !== undefined && suffices(known.state) ? known : undefined;
  }

  private async decideAndAppend<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    context: CommandContext,
    command: Command,
    backoff: Backoff,
  ): Promise<CommandResult<State, Event>> {
    let mustRead = context.mayRepeat;
    for (;;) {
      const fresh = mustRead;
      // Assume that an unknown stream is new. Most such commands create an aggregate, so this saves a read. If the stream exists, the
      // append fails. A refusal is decided again.
      const entry = fresh
        ? await this.refresh<State, Command, Event>(decider, stream)
        : (this.recent.get<State>(stream) ?? NEW_STREAM);
      if (fresh) streamCacheInUse()?.set(stream, entry);
      mustRead = true;
      if (entry.isClosed) throw new StreamClosed();
      if (entry.commandIds.has(context.commandId)) {
        recordWrite(entry.position);
        return { state: entry.state as State, events: [], revision: entry.revision };
      }
      let events: Event[];
      try {
        events = decider.decide(command, entry.state);
      } catch (error) {
        if (fresh) throw error;
        continue;
      }
      if (events.length === 0) {
        if (!fresh) continue;
        return { state: entry.state as State, events, revision: entry.revision };
      }
      const outcome = await runInSpan(
        () => ({ name: `append ${decider.category}`, kind: 'producer' }),
        () => this.writer.append(stream, entry.revision, events, context),
      );
      if (outcome === 'conflict') {
        // The remembered state may simply have been outdated. The next attempt reads the stream.
        if (!fresh) continue;
        if (backoff.isOver) throw othersKeepWinning();
        await backoff.wait(AFTER_CONFLICT);
        continue;
      }
      if (outcome instanceof Unavailable) {
        this.recent.delete(stream);
        if (backoff.isOver) throw outcome;
        await backoff.wait(AFTER_UNAVAILABLE);
        continue;
      }
      const state = this.remember(decider, stream, entry, events, context, outcome);
      return { state, events, revision: entry.revision + BigInt(events.length) };
    }
  }

  private remember<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    entry: StreamEntry<State>,
    events: Event[],
    context: CommandContext,
    position: Position,
  ): State {
    let state = entry.state;
    for (const event of events) state = decider.evolve(state, event);
    if (context.mayRepeat) {
      // The store recognises a repeated append only by the ids, so the stored events may be those of the first run.
      this.recent.delete(stream);
      streamCacheInUse()?.delete(stream);
    } else {
      const revision = entry.revision + BigInt(events.length);
      const commandIds = new Set(entry.commandIds).add(context.commandId);
      const written = { state, revision, position, commandIds, isClosed: false };
      this.recent.set(stream, written);
      streamCacheInUse()?.set(stream, written);
    }
    return state as State;
  }

  private async refresh<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
  ): Promise<StreamEntry<State>> {
    const known = this.recent.get<State>(stream) ?? NEW_STREAM;
    const since = await this.events(stream, { fromRevision: known.revision + 1n });
    if (since === undefined) {
      this.recent.delete(stream);
      return NEW_STREAM;
    }
    const commandIds = new Set(known.commandIds);
    for (const { metadata } of since) commandIds.add(metadata.commandId);
    const { revision, position } = since.at(-1) ?? known;
    const state = fold(decider, since as unknown as Event[], known.state);
    const isClosed = known.isClosed || since.some(({ type }) => type === STREAM_CLOSED);
    const entry = { state, revision, position, commandIds, isClosed };
    if (revision >= 0n) this.recent.set(stream, entry);
    return entry;
  }

  /**
   * The events of a stream, oldest first; undefined if the stream does not exist. Throws Unavailable if the event store does not answer.
   */
  private async events(stream: string, options: ReadStreamOptions): Promise<RecordedEvent[] | undefined> {
    try {
      return await this.codec.decode(await readEvents(() => this.client.readStream(stream, options)));
    } catch (error) {
      if (error instanceof StreamNotFoundError) return undefined;
      throw toEventStoreUnavailable(error) ?? error;
    }
  }
}

function othersKeepWinning(): Conflict {
  return new Conflict(
    'concurrent_modification',
    'Other requests change the same resource at this moment; try again',
  );
}

function tooManyAtWork(): Unavailable {
  return new Unavailable(
    'too_many_at_work',
    'Too many changes of the same resource are waiting; try again shortly',
  );
}

function streamName(decider: { category: string }, id: string): string {
  return `${decider.category}-${id}`;
}

function describe(
  category: string,
  stream: string,
  context: CommandContext,
  command: unknown,
): SpanDescription {
  const { type } = command as { type?: unknown };
  return {
    name: typeof type === 'string' ? `${category} ${type}` : category,
    attributes: {
      'countinghouse.workspace_id': context.workspaceId,
      'countinghouse.command_id': context.commandId,
      'countinghouse.correlation_id': context.correlationId,
      'countinghouse.stream': stream,
    },
  };
}
