import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { MetricDetails, MetricEvent } from './events.js';
import { readMetricChanges, readMetricDetails } from './metric-input.js';
import { metricDecider } from './metric.js';

const metricId = 'met_1';
const at = '2026-01-01T00:00:00.000Z';
const later = '2026-02-01T00:00:00.000Z';
const details: MetricDetails = {
  name: 'Requests',
  description: null,
  eventName: 'request',
  aggregation: { type: 'count', filter: { ok: true } },
};
const created: MetricEvent = { type: 'MetricCreated', data: { metricId, at, ...details } };
const deleted: MetricEvent = { type: 'MetricDeleted', data: { metricId } };
const referenced = (priceId: string, priceRevision: number): MetricEvent => ({
  type: 'MetricReferenced',
  data: { metricId, priceId, priceRevision },
});

const { given } = decide(metricDecider);

describe('creating a metric', () => {
  it('records its first version', () => {
    given().when({ type: 'CreateMetric', at, metricId, details }).then(created);
    expect(given(created).state()).toEqual({
      metricId,
      createdAt: at,
      deleted: false,
      versions: [{ version: 1, createdAt: at, ...details }],
      references: {},
    });
  });

  it('does nothing a second time', () => {
    given(created).when({ type: 'CreateMetric', at: later, metricId, details }).then();
  });
});

describe('changing a metric', () => {
  it('makes a version with all fields, and keeps the earlier versions', () => {
    const aggregation = { type: 'sum', property: 'tokens' } as const;
    const updated: MetricEvent = {
      type: 'MetricUpdated',
      data: { metricId, version: 2, at: later, ...details, aggregation },
    };
    given(created)
      .when({ type: 'UpdateMetric', at: later, metricId, changes: { aggregation } })
      .then(updated);
    expect(given(created, updated).state()?.versions).toEqual([
      { version: 1, createdAt: at, ...details },
      { version: 2, createdAt: later, ...details, aggregation },
    ]);
  });

  it('makes no version when nothing differs', () => {
    const changes = { name: 'Requests', aggregation: { type: 'count', filter: { ok: true } } } as const;
    given(created).when({ type: 'UpdateMetric', at, metricId, changes }).then();
  });

  it('changes to SQL only if no price charges for the metric', () => {
    const aggregation = { type: 'sql', sql: 'count(*)' } as const;
    const command = { type: 'UpdateMetric', at: later, metricId, changes: { aggregation } } as const;
    const updated: MetricEvent = {
      type: 'MetricUpdated',
      data: { metricId, version: 2, at: later, ...details, aggregation },
    };
    given(created).when(command).then(updated);
    given(created, referenced('price_1', 1)).when(command).refused('metric_in_use');
    const changes = { aggregation: { type: 'sql', sql: 'sum(1)' } } as const;
    given(created, updated, referenced('price_1', 1))
      .when({ ...command, changes })
      .then({ type: 'MetricUpdated', data: { ...updated.data, version: 3, ...changes } });
  });

  it('does not find a metric that was never created or is deleted', () => {
    given().when({ type: 'UpdateMetric', at, metricId, changes: {} }).refused('metric_not_found');
    given(created, deleted)
      .when({ type: 'UpdateMetric', at, metricId, changes: {} })
      .refused('metric_not_found');
  });
});

describe('deleting a metric', () => {
  it('succeeds if every reference was checked', () => {
    given(created).when({ type: 'DeleteMetric', metricId, checkedReferences: {} }).then(deleted);
    expect(given(created, deleted).state()).toMatchObject({ metricId, deleted: true });
    given(created, referenced('price_1', 1))
      .when({ type: 'DeleteMetric', metricId, checkedReferences: { price_1: 1 } })
      .then(deleted);
  });

  it('is refused if a reference, or a later one of the same price, was not checked', () => {
    given(created, referenced('price_1', 1))
      .when({ type: 'DeleteMetric', metricId, checkedReferences: {} })
      .refused('metric_in_use');
    given(created, referenced('price_1', 1), referenced('price_1', 4))
      .when({ type: 'DeleteMetric', metricId, checkedReferences: { price_1: 1 } })
      .refused('metric_in_use');
  });

  it('refuses references afterwards', () => {
    given(created, deleted)
      .when({ type: 'ReferenceMetric', metricId, priceId: 'price_1', priceRevision: 1 })
      .refused('metric_not_found');
    given(created, deleted)
      .when({ type: 'DeleteMetric', metricId, checkedReferences: {} })
      .refused('metric_not_found');
  });
});

describe('referring to a metric', () => {
  const refer = { type: 'ReferenceMetric', metricId, priceId: 'price_1', priceRevision: 2 } as const;

  it('is recorded once, and again for a later revision', () => {
    given(created).when(refer).then(referenced('price_1', 2));
    given(created, referenced('price_1', 2)).when(refer).then();
    given(created, referenced('price_1', 3)).when(refer).then();
    given(created, referenced('price_1', 1)).when(refer).then(referenced('price_1', 2));
  });
});

describe('a metric in a request', () => {
  it('measures the events of its own name if it has no event name', () => {
    const aggregation = { type: 'count' };
    expect(readMetricDetails({ name: 'request', aggregation })).toEqual({
      name: 'request',
      description: null,
      eventName: 'request',
      aggregation,
    });
    expect(readMetricDetails({ name: 'Requests', eventName: 'request', aggregation }).eventName).toBe(
      'request',
    );
  });

  it('keeps the event name if only the name changes', () => {
    expect(readMetricChanges({ name: 'API requests' }, { type: 'count' }).eventName).toBeUndefined();
  });

  it('refuses an SQL expression for another type', () => {
    expect(() => readMetricDetails({ name: 'a', aggregation: { type: 'count' }, sql: 'count(*)' })).toThrow(
      /sql is only for/,
    );
    expect(() => readMetricChanges({ sql: 'count(*)' }, { type: 'count' })).toThrow(/sql is only for/);
    expect(readMetricChanges({ sql: null }, { type: 'count' })).toEqual({});
  });

  it('has the SQL in the aggregation, and changes either without the other', () => {
    const sql = { type: 'sql', sql: 'count(*)', groupBy: ['g'] } as const;
    const aggregation = { type: 'sql', groupBy: ['g'] };
    expect(readMetricDetails({ name: 'a', aggregation, sql: 'count(*)' }).aggregation).toEqual(sql);
    expect(() => readMetricDetails({ name: 'a', aggregation })).toThrow(/sql is required/);
    expect(readMetricChanges({ sql: '1' }, sql).aggregation).toEqual({ ...sql, sql: '1' });
    expect(readMetricChanges({ aggregation: { type: 'sql' } }, sql).aggregation).toEqual({
      type: 'sql',
      sql: 'count(*)',
    });
    expect(readMetricChanges({ aggregation: { type: 'count' } }, sql).aggregation).toEqual({ type: 'count' });
    expect(readMetricChanges({ name: 'b' }, sql).aggregation).toBeUndefined();
    expect(() => readMetricChanges({ sql: null }, sql)).toThrow(/sql is required/);
    expect(() => readMetricChanges({ aggregation: { type: 'sql' } }, { type: 'count' })).toThrow(
      /sql is required/,
    );
  });
});
