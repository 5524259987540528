import { describe, expect, it } from '@jest/globals';
import { recordedEvent } from '#libs/kernel/testing';
import type { WorkspaceClock } from '#libs/kernel/workspaces';
import { ahead, behind, created, setup, usage } from '../../../test/support/sample-subscription.js';
import type { RevenueAccruals } from './accruals/revenue-accruals.js';
import { RevenueProcess } from './revenue.process.js';

const process = new RevenueProcess({} as WorkspaceClock, {} as RevenueAccruals);

describe('the process of revenue', () => {
  it('accrues at the end of the month in which a subscription starts, if something is charged after delivery', () => {
    const events = [[usage], [behind], [ahead, usage]].map((prices) => created(prices, null));
    for (const event of [...events, created([ahead], null, { minimumCommitment: '100' })]) {
      const [task, ...others] = process.react(recordedEvent('subscription-acc_1.sub_1', event));
      expect(others).toEqual([]);
      expect(task).toMatchObject({ name: 'accrue-month', payload: { month: '2026-01' } });
      expect(task!.dueAt).toMatch(/^2026-01-31T.*:59:59\.999Z$/);
    }
  });

  it('accrues nothing of a subscription that pays for everything in advance', () => {
    expect(process.react(recordedEvent('stream', created([ahead, setup], null)))).toEqual([]);
  });
});
