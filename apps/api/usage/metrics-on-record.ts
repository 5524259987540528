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

/** The time between two attempts to find the end of the log. */
const RETRY_MILLIS = 500;
/** The largest number of workspaces whose metrics are remembered. */
const MAX_WORKSPACES = 5_000;
/** How long metrics that this process changes are read again for each request. This is longer than any command takes. */
const DOUBTED_MILLIS = 15_000;

/**
 * Knows which metrics count events of which name, from the read model. The metrics of a workspace are remembered, so that usage needs no
 * read. A change ends that: at once if this process makes it, and within moments if another does. Metrics are remembered only if the read
 * model has processed all news, so that no change is missed in between.
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
  /** Counts the news, so that a state that was read before the news is not remembered after it. */
  private news = 0;
  /** Counts the gaps in the news. */
  private gaps = 0;
  /** The end of the log when the subscription began. It is undefined while news may be missed, or while the end is not known yet. */
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
    // The bus publishes a command before it runs. So from now on, remembered metrics cannot hide the change.
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

  /** Whether the read model has processed everything before the first news, and up to the latest news. */
  private async hasPassedNews(): Promise<boolean> {
    const { liveFrom, lastHeard } = this;
    if (liveFrom === undefined) return false;
    return this.readModels.waitFor(liveFrom > lastHeard ? liveFrom : lastHeard, 0);
  }

  /** Repeats until the end of the log is found, or news may be missed. Without the end, no metrics are remembered. */
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
