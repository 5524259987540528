import { describe, it } from '@jest/globals';
import { react, recordedEvent } from '#libs/kernel/testing';
import type { MetricEvent } from './events.js';
import { MeteringProcess } from './metering.process.js';

const process = new MeteringProcess(...([] as unknown as ConstructorParameters<typeof MeteringProcess>));
const { when } = react(process);
const on = (event: MetricEvent) => recordedEvent<MetricEvent>('metric-acc_1.met_1', event);
const details = {
  metricId: 'met_1',
  at: '2026-01-01T00:00:00.000Z',
  name: 'Tokens',
  description: null,
  eventName: 'completion',
  aggregation: { type: 'count' },
} as const;

describe('metering', () => {
  it('prepares the meter of a metric when the metric is created and when it is changed', () => {
    const prepare = { name: 'prepare-meter', payload: { metricId: 'met_1' } };
    when(on({ type: 'MetricCreated', data: details })).then(prepare);
    when(on({ type: 'MetricUpdated', data: { ...details, version: 2 } })).then(prepare);
  });

  it('has nothing to do when a metric is charged for or deleted', () => {
    when(
      on({ type: 'MetricReferenced', data: { metricId: 'met_1', priceId: 'price_1', priceRevision: 1 } }),
    ).then();
    when(on({ type: 'MetricDeleted', data: { metricId: 'met_1' } })).then();
  });
});
