import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { currentMetricVersion, type Metric } from '#libs/catalog';
import { NotFound } from '#libs/core';
import { MetricRow } from './metric-row.js';

@Injectable()
export class MetricQueries {
  constructor(@InjectRepository(MetricRow) private readonly rows: Repository<MetricRow>) {}

  /** A page of the workspace's metrics, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<Metric[]> {
    const rows = await this.rows.find({
      where: { accountId, live: true },
      order: { createdPosition: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
    return rows.map(({ state }) => state);
  }

  /** The ids of the metrics that count events of these names, oldest first, by name. */
  async idsByEventName(accountId: string, eventNames: readonly string[]): Promise<Map<string, string[]>> {
    if (eventNames.length === 0) return new Map();
    const rows = await this.rows
      .createQueryBuilder('metric')
      .where('metric.accountId = :accountId AND metric.live', { accountId })
      .andWhere("metric.state -> 'versions' -> -1 ->> 'eventName' = ANY(:eventNames)", { eventNames })
      .orderBy('metric.createdPosition')
      .getMany();
    const named = Map.groupBy(rows, ({ state }) => currentMetricVersion(state).eventName);
    return new Map([...named].map(([name, metrics]) => [name, metrics.map(({ id }) => id)]));
  }

  /** One metric; NotFound if it is not in the workspace or is deleted. */
  async get(accountId: string, metricId: string): Promise<Metric> {
    const row = await this.rows.findOneBy({ accountId, id: metricId, live: true });
    if (!row) throw NotFound.of('metric', metricId);
    return row.state;
  }
}
