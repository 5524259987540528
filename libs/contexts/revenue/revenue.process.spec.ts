import { describe, expect, it } from '@jest/globals';
import type { WalletEvent } from '#libs/contexts/credits';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { taskIdOf, type TaskRequest } from '#libs/kernel/saga';
import { recordedEvent } from '#libs/kernel/testing';
import type { WorkspaceClock } from '#libs/kernel/workspaces';
import { ahead, behind, created, setup, usage } from '../../../test/support/sample-subscription.js';
import type { OverageAccruals } from './accruals/overage-accruals.js';
import type { RevenueAccruals } from './accruals/revenue-accruals.js';
import type { MonthLock } from './closing/month-lock.js';
import { RevenueProcess } from './revenue.process.js';

const JANUARY = { month: '2026-01', dueAt: '2026-01-31T23:59:59.999Z' };

const process = new RevenueProcess(
  { now: async () => JANUARY.dueAt } as unknown as WorkspaceClock,
  {} as RevenueAccruals,
  { accrueIfMonthIsOver: async () => JANUARY } as unknown as OverageAccruals,
  { runAccrual: (_: string, accrue: () => Promise<unknown>) => accrue() } as unknown as MonthLock,
);

const wallet = { customerId: 'northwind', creditType: 'tokens' };

/** The tasks that follow when a wallet is drawn down. */
function draw(blockId: string | null, at: string, workspaceId = 'acc_1') {
  const event: WalletEvent = {
    type: 'CreditsDrawnDown',
    data: {
      ...wallet,
      at,
      balance: '0',
      amount: '0',
      draws: [{ metricId: 'met_1', blockId, amount: '5' }],
      usage: { after: '0', upTo: '1' },
    },
  };
  return process.react(recordedEvent(`wallet-${workspaceId}.northwind.tokens`, event, { workspaceId }));
}

describe('the process of revenue', () => {
  it('accrues at the end of the month in which a subscription starts, if something is charged after delivery', () => {
    const events = [[usage], [behind], [ahead, usage]].map((prices) => created(prices, null));
    for (const event of [...events, created([ahead], null, { minimumCommitment: '100' })]) {
      const [task, ...others] = process.react(recordedEvent('subscription-acc_1.sub_1', event));
      expect(others).toEqual([]);
      expect(task).toMatchObject({ name: 'accrue-month', payload: { month: '2026-01' } });
      expect(task!.dueAt).toMatch(/^2026-01-31T.*:59:59\.999Z$/);
      // The handler can find out a later end of the month. The task for it must be another one than this, or it would not be stored.
      expect(task!.key).toBe(task!.dueAt);
    }
  });

  it('accrues at the end of the month in which a subscription goes on, since it can be of an earlier version', () => {
    const at = '2026-02-10T00:00:00.000Z';
    const period = { index: 1, start: at, end: '2026-03-10T00:00:00.000Z' };
    const [task] = process.react(
      recordedEvent<SubscriptionEvent>('subscription-acc_1.sub_1', {
        type: 'SubscriptionResumed',
        data: {
          subscriptionId: 'sub_1',
          customerId: 'cust_1',
          at,
          phase: 'active',
          anchor: at,
          trialEnd: null,
          period,
          bill: null,
          run: null,
        },
      }),
    );
    expect(task).toMatchObject({
      name: 'accrue-month',
      payload: { month: '2026-02' },
      dueAt: '2026-02-28T23:59:59.999Z',
    });
  });

  it('accrues nothing of a subscription that pays for everything in advance', () => {
    expect(process.react(recordedEvent('stream', created([ahead, setup], null)))).toEqual([]);
  });

  it('accrues overage in each month in which it can be anywhere', () => {
    expect(draw('blk_1', '2026-02-01T03:00:00.000Z')).toEqual([]);
    const task = (month: string, dueAt: string) => ({
      name: 'accrue-overage',
      payload: { ...wallet, month },
      dueAt,
    });
    // 31 January is over at 10:00 UTC in Kiribati, and at 12:00 UTC of the next day on Baker Island.
    const january = task('2026-01', '2026-01-31T09:59:59.999Z');
    // If January was accrued before the overage, its task is done, and no task of February follows from it.
    const february = task('2026-02', '2026-02-28T09:59:59.999Z');
    expect(draw(null, '2026-01-31T09:59:59.999Z')).toMatchObject([january]);
    expect(draw(null, '2026-01-31T10:00:00.000Z')).toMatchObject([january, february]);
    expect(draw(null, '2026-02-01T03:00:00.000Z')).toMatchObject([january, february]);
    expect(draw(null, '2026-02-01T12:00:00.000Z')).toMatchObject([february]);
  });

  it('accrues overage of wallets that have the same name in two workspaces', async () => {
    const tasksOf = async (workspaceId: string) => {
      const first = draw(null, '2026-01-20T00:00:00.000Z', workspaceId);
      const { tasks = [] } = (await process.perform({
        id: 'tsk_1',
        name: 'accrue-overage',
        workspaceId,
        payload: { ...wallet, month: JANUARY.month },
        dueAt: JANUARY.dueAt,
        clock: 'workspace',
        attempt: 1,
        eventId: 'evt_1',
        eventAt: null,
        correlationId: 'cor_1',
      })) as { tasks?: TaskRequest[] };
      return [...first, ...tasks].map((task) => taskIdOf('revenue', 'evt_1', task));
    };
    const ids = [...(await tasksOf('acc_1')), ...(await tasksOf('acc_2'))];
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });
});
