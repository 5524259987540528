import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus, type ICommand } from '@nestjs/cqrs';
import { LRUCache } from 'lru-cache';
import type { Position } from '#libs/kernel/domain';
import { EventFeed } from '#libs/kernel/event-store';
import { ReadModelProgress } from '#libs/kernel/projection';
import { CoalescedReads } from '#libs/kernel/system';
import { EventTypeSubscription } from './event-type-subscription.js';

/** The time between two attempts to find the end of the event log. */
const RETRY_MILLIS = 500;
/** The largest number of workspaces whose data is kept in memory. */
const MAX_WORKSPACES = 5_000;
/**
 * For this time after a command of this process starts to change data, each request reads the data again. The time is longer than any
 * command takes.
 */
const DOUBTED_MILLIS = 15_000;

/** Describes the data that a {@link WorkspaceCache} remembers. */
export interface CacheDefinition<T extends object> {
  /** The types of the events that change the data. */
  readonly eventTypes: readonly string[];
  /** Reads the data from read models. */
  readonly read: (workspaceId: string) => Promise<T>;
  /** Returns the id of the workspace whose data a command changes. Returns undefined for commands that do not change the data. */
  readonly workspaceChangedBy: (command: ICommand) => string | undefined;
}

/** The sources that notify a cache of changed data. */
interface ChangeSources {
  readonly readModels: ReadModelProgress;
  readonly feed: EventFeed;
  readonly commands: CommandBus;
  readonly client: EventStoreDBClient;
}

/** Creates the caches of workspace data that a process keeps. The caches start and stop together with the process. */
@Injectable()
export class WorkspaceCaches implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sources: ChangeSources;
  private readonly caches: Pick<WorkspaceCache<object>, 'start' | 'stop'>[] = [];

  constructor(
    readModels: ReadModelProgress,
    feed: EventFeed,
    commands: CommandBus,
    client: EventStoreDBClient,
  ) {
    this.sources = { readModels, feed, commands, client };
  }

  /** Creates a cache. Call this method in constructors, which run before the process starts. */
  create<T extends object>(remembered: CacheDefinition<T>): WorkspaceCache<T> {
    const cache = new WorkspaceCache(this.sources, remembered);
    this.caches.push(cache);
    return cache;
  }

  onApplicationBootstrap(): void {
    for (const cache of this.caches) cache.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.caches.map((cache) => cache.stop()));
  }
}

/**
 * Remembers data of workspaces, so that requests with usage need no database read. Changed data is forgotten: at once if this process
 * changes the data, and within moments if another process changes it. Data is remembered only if the read models have processed all known
 * changes, so that no change is missed.
 */
export class WorkspaceCache<T extends object> {
  private readonly known = new LRUCache<string, T>({ max: MAX_WORKSPACES });
  private readonly doubted = new LRUCache<string, true>({ max: MAX_WORKSPACES, ttl: DOUBTED_MILLIS });
  private readonly readings = new CoalescedReads<T>();
  private readonly changes: EventTypeSubscription;
  /**
   * The number of times that the data of a workspace was forgotten. If the number changes while data is read, the data is not remembered.
   */
  private forgettings = 0;
  /** The number of times that changes may have been missed. */
  private gaps = 0;
  /**
   * The end of the event log when this cache began to receive new events. Undefined while changes may be missed, or while the end of the
   * event log is not known yet.
   */
  private liveFrom: Position | undefined;
  private lastHeard: Position = 0n;

  constructor(
    private readonly sources: ChangeSources,
    private readonly remembered: CacheDefinition<T>,
  ) {
    this.changes = new EventTypeSubscription(sources.client, remembered.eventTypes);
  }

  start(): void {
    // The bus announces a command before the command runs. So the data is forgotten before it changes.
    this.sources.commands.subscribe((command) => {
      const workspaceId = this.remembered.workspaceChangedBy(command);
      if (workspaceId === undefined) return;
      this.doubted.set(workspaceId, true);
      this.forget(workspaceId);
    });
    this.changes.start({
      onLive: () => void this.findEnd(),
      onEvent: ({ aggregateId: id, position }) => {
        this.lastHeard = position;
        this.forget(id.slice(0, id.indexOf('.')));
      },
      onGap: () => {
        this.forgettings++;
        this.gaps++;
        this.liveFrom = undefined;
        this.known.clear();
      },
    });
  }

  async stop(): Promise<void> {
    await this.changes.stop();
  }

  /** Returns the data of a workspace, usually from the cache. */
  async dataOf(workspaceId: string): Promise<T> {
    return this.known.get(workspaceId) ?? this.readings.read(workspaceId, () => this.read(workspaceId));
  }

  private async read(workspaceId: string): Promise<T> {
    const { forgettings } = this;
    const isCurrent = await this.hasPassedNews();
    const data = await this.remembered.read(workspaceId);
    if (isCurrent && forgettings === this.forgettings && !this.doubted.has(workspaceId))
      this.known.set(workspaceId, data);
    return data;
  }

  /** Returns whether the read models have processed every event up to the last change that this process was notified of. */
  private async hasPassedNews(): Promise<boolean> {
    const { liveFrom, lastHeard } = this;
    if (liveFrom === undefined) return false;
    return this.sources.readModels.waitFor(liveFrom > lastHeard ? liveFrom : lastHeard, 0);
  }

  /**
   * Tries again until the end of the event log is found, or until changes may be missed. Before the end of the event log is known, nothing
   * is remembered.
   */
  private async findEnd(): Promise<void> {
    const { gaps } = this;
    while (gaps === this.gaps && this.liveFrom === undefined) {
      try {
        const end = (await this.sources.feed.readHead()) ?? 0n;
        if (gaps === this.gaps) this.liveFrom = end;
      } catch {
        await delay(RETRY_MILLIS);
      }
    }
  }

  /** Forgets the data of a workspace. Data that is being read at this moment is not remembered either. */
  forget(workspaceId: string): void {
    this.forgettings++;
    this.known.delete(workspaceId);
  }
}
