import { describe, expect, it } from '@jest/globals';
import { recordedEvent } from '#libs/kernel/testing';
import type { WorkspaceClock } from '#libs/kernel/workspaces';
import type { LimitRules } from './counting/limit-rules.js';
import type { WindowMover } from './counting/window-mover.js';
import { UsageLimitsProcess } from './usage-limits.process.js';

const process = new UsageLimitsProcess({} as WorkspaceClock, {} as LimitRules, {} as WindowMover);
const tasksOf = (type: string, data: object) => process.react(recordedEvent('stream', { type, data }));

describe('the process of usage limits', () => {
  it('puts a limit in force whenever it changes', () => {
    for (const type of ['UsageLimitCreated', 'UsageLimitUpdated', 'UsageLimitDeleted'])
      expect(tasksOf(type, { limitId: 'lim_1' })).toEqual([
        { name: 'apply-limit', payload: { limitId: 'lim_1' } },
      ]);
  });

  it('lets limits follow their metric', () => {
    for (const type of ['MetricUpdated', 'MetricDeleted'])
      expect(tasksOf(type, { metricId: 'met_1' })).toEqual([
        { name: 'apply-metric', payload: { metricId: 'met_1' } },
      ]);
  });

  it('counts the usage of a customer again if its windows change', () => {
    const again = (payload: object) => [
      { name: 'count-again', payload: { customerId: 'cust_1', ...payload } },
    ];
    expect(tasksOf('CustomerUpdated', { customerId: 'cust_1', timezone: 'UTC' })).toEqual(
      again({ spans: ['day', 'month', 'period'] }),
    );
    expect(tasksOf('CustomerUpdated', { customerId: 'cust_1', name: 'A' })).toEqual([]);
    for (const type of ['Created', 'Resumed', 'Amended', 'Canceled'])
      expect(
        tasksOf(`Subscription${type}`, { customerId: 'cust_1', subscriptionId: 'sub_1', more: 1 }),
      ).toEqual(again({ subscriptionId: 'sub_1', spans: ['period'] }));
  });
});
