import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Repository } from 'typeorm';
import { currentMetricVersion, type Metric } from '#libs/contexts/catalog';
import { SnapshotQueries } from '#libs/kernel/projection';
import { MetricRow } from './metric-row.js';

@Injectable()
export class MetricQueries extends SnapshotQueries<MetricRow, Metric> {
  constructor(@InjectRepository(MetricRow) rows: Repository<MetricRow>) {
    super(rows, { resource: 'metric', where: { live: true }, shownOf: ({ state }) => state });
  }

  /** Returns the metrics of a workspace that are not deleted, oldest first. */
  async liveMetrics(workspaceId: string): Promise<Metric[]> {
    const rows = await this.rows.find({
      where: { workspaceId, live: true },
      order: { createdPosition: 'ASC' },
    });
    return rows.map(({ state }) => state);
  }

  /** Returns the existing metrics with these ids, in no particular order. Deleted metrics are included. */
  async findByIds(workspaceId: string, metricIds: readonly string[]): Promise<Metric[]> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...metricIds]) });
    return rows.map(({ state }) => state);
  }

  /** Returns the metrics that count events with these names, by event name, oldest first. */
  async metricsByEventName(
    workspaceId: string,
    eventNames: readonly string[],
  ): Promise<Map<string, Metric[]>> {
    if (eventNames.length === 0) return new Map();
    const rows = await this.rows
      .createQueryBuilder('metric')
      .where('metric.workspaceId = :workspaceId AND metric.live', { workspaceId })
      .andWhere("metric.state -> 'versions' -> -1 ->> 'eventName' = ANY(:eventNames)", { eventNames })
      .orderBy('metric.createdPosition')
      .getMany();
    return Map.groupBy(
      rows.map(({ state }) => state),
      (metric) => currentMetricVersion(metric).eventName,
    );
  }
}
