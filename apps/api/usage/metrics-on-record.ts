import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { LRUCache } from 'lru-cache';
import { CreateMetric, DeleteMetric, metricDecider, UpdateMetric, type Metric } from '#libs/contexts/catalog';
import { CoalescedReads } from '#libs/kernel/system';
import { EventFeed } from '#libs/kernel/event-store';
import { type Position } from '#libs/kernel/domain';
import { ReadModels } from '#libs/kernel/projection';
import { eventCounter, MetricDirectory, type EventCounter, type EventCounters } from '#libs/usage';
import { MetricQueries } from '#projections/metrics';
import { CategorySubscription } from './category-subscription.js';
import { definitionOf } from './counting-metrics.js';

/** Between two looks for where the log ends. */
const RETRY_MILLIS = 500;
/** Workspaces whose metrics are remembered, at most. */
const MAX_WORKSPACES = 5_000;
/** How long metrics that are being changed here are read anew for each request: longer than any command takes. */
const DOUBTED_MILLIS = 15_000;

/**
 * Which metrics count events of which name, by the read model. A workspace's are remembered, so that usage costs no read; news of a change
 * ends that, at once for those that this process makes and within moments for others'. They are remembered only when the read model has
 * passed all news, so that none is missed between the two.
 */
@Injectable()
export class MetricsOnRecord
  extends MetricDirectory
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  private readonly known = new LRUCache<string, EventCounters>({ max: MAX_WORKSPACES });
  private readonly doubted = new LRUCache<string, true>({ max: MAX_WORKSPACES, ttl: DOUBTED_MILLIS });
  private readonly readings = new CoalescedReads<EventCounters>();
  private readonly changes: CategorySubscription;
  /** Counts the news, so that what was read before some is not remembered after it. */
  private news = 0;
  /** Counts the gaps in the news. */
  private gaps = 0;
  /** Where the log ended when everything since began to be heard; undefined while news may be missed, or it is not known yet. */
  private liveFrom: Position | undefined;
  private lastHeard: Position = 0n;

  constructor(
    private readonly metrics: MetricQueries,
    private readonly readModels: ReadModels,
    private readonly feed: EventFeed,
    private readonly commands: CommandBus,
    client: EventStoreDBClient,
  ) {
    super();
    this.changes = new CategorySubscription(client, metricDecider.category);
  }

  onApplicationBootstrap(): void {
    // The bus tells of a command before it runs, so from here on no memory stands against the change.
    this.commands.subscribe((command) => {
      if (
        command instanceof CreateMetric ||
        command instanceof UpdateMetric ||
        command instanceof DeleteMetric
      ) {
        const { workspaceId } = command.context;
        this.doubted.set(workspaceId, true);
        this.forget(workspaceId);
      }
    });
    this.changes.start({
      onLive: () => void this.findEnd(),
      onEvent: ({ id, position }) => {
        this.lastHeard = position;
        this.forget(id.slice(0, id.indexOf('.')));
      },
      onGap: () => {
        this.news++;
        this.gaps++;
        this.liveFrom = undefined;
        this.known.clear();
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.changes.stop();
  }

  async countersOf(workspaceId: string): Promise<EventCounters> {
    return this.known.get(workspaceId) ?? this.readings.read(workspaceId, () => this.read(workspaceId));
  }

  private async read(workspaceId: string): Promise<EventCounters> {
    const { news } = this;
    const isCurrent = await this.hasPassedNews();
    const metrics = await this.metrics.inForce(workspaceId);
    const counters = countersByName(workspaceId, metrics);
    if (isCurrent && news === this.news && !this.doubted.has(workspaceId))
      this.known.set(workspaceId, counters);
    return counters;
  }

  /** Whether the read model has everything that happened before the first news, and up to the latest. */
  private async hasPassedNews(): Promise<boolean> {
    const { liveFrom, lastHeard } = this;
    if (liveFrom === undefined) return false;
    return this.readModels.waitFor(liveFrom > lastHeard ? liveFrom : lastHeard, 0);
  }

  /** Tried again until it is found, or news may be missed: without it nothing is remembered. */
  private async findEnd(): Promise<void> {
    const { gaps } = this;
    while (gaps === this.gaps && this.liveFrom === undefined) {
      try {
        const end = (await this.feed.head()) ?? 0n;
        if (gaps === this.gaps) this.liveFrom = end;
      } catch {
        await delay(RETRY_MILLIS);
      }
    }
  }

  private forget(workspaceId: string): void {
    this.news++;
    this.known.delete(workspaceId);
  }
}

function countersByName(workspaceId: string, metrics: readonly Metric[]): EventCounters {
  const counters = new Map<string, EventCounter[]>();
  for (const metric of metrics) {
    const definition = definitionOf(workspaceId, metric);
    const named = counters.get(definition.eventName) ?? [];
    named.push(eventCounter(definition));
    counters.set(definition.eventName, named);
  }
  return counters;
}
