import { Injectable } from '@nestjs/common';
import { CreateMetric, DeleteMetric, metricDecider, UpdateMetric, type Metric } from '#libs/contexts/catalog';
import {
  countingRuleOf,
  MetricDirectory,
  type CountingRule,
  type CountingRulesByEventName,
  type MetricDefinition,
} from '#libs/usage';
import { eventTypesOf } from '#libs/kernel/domain';
import { MetricQueries } from '#projections/metrics';
import { currentDefinitionOf } from './counting-metrics.js';
import { WorkspaceCaches, type WorkspaceCache } from './workspace-cache.js';

/** The metrics of a workspace that are in force (not deleted). */
interface MetricsInForce {
  readonly counters: CountingRulesByEventName;
  readonly definitions: ReadonlyMap<string, MetricDefinition>;
}

/** Provides the metrics of workspaces, and the metrics that count events of a name, from memory. */
@Injectable()
export class RememberedMetrics extends MetricDirectory {
  private readonly cache: WorkspaceCache<MetricsInForce>;

  constructor(metrics: MetricQueries, caches: WorkspaceCaches) {
    super();
    this.cache = caches.create<MetricsInForce>({
      eventTypes: eventTypesOf(metricDecider),
      read: async (workspaceId) => metricsInForce(workspaceId, await metrics.liveMetrics(workspaceId)),
      workspaceChangedBy: (command) =>
        command instanceof CreateMetric || command instanceof UpdateMetric || command instanceof DeleteMetric
          ? command.context.workspaceId
          : undefined,
    });
  }

  async countingRulesOf(workspaceId: string): Promise<CountingRulesByEventName> {
    return (await this.cache.dataOf(workspaceId)).counters;
  }

  /**
   * Returns the definition of a metric in its present version, usually from memory. Returns undefined if the metric was deleted or does not
   * exist in the workspace.
   */
  async definitionOf(workspaceId: string, metricId: string): Promise<MetricDefinition | undefined> {
    return (await this.cache.dataOf(workspaceId)).definitions.get(metricId);
  }
}

function metricsInForce(workspaceId: string, metrics: readonly Metric[]): MetricsInForce {
  const definitions = new Map<string, MetricDefinition>();
  const counters = new Map<string, CountingRule[]>();
  for (const metric of metrics) {
    const definition = currentDefinitionOf(workspaceId, metric);
    definitions.set(metric.metricId, definition);
    const named = counters.get(definition.eventName) ?? [];
    named.push(countingRuleOf(definition));
    counters.set(definition.eventName, named);
  }
  return { counters, definitions };
}
