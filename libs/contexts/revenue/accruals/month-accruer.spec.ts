import { describe, expect, it } from '@jest/globals';
import type { CurrentBillingSettings } from '#libs/contexts/invoicing';
import type { AggregateStore, CommandContext } from '#libs/kernel/event-store';
import type { ClosedMonths } from '../closing/closed-months.js';
import type { BookMonth } from '../book-months.js';
import { MonthAccruer, type AccrualSource } from './month-accruer.js';
import type { RevenueAccrual } from './revenue-accrual.js';

const context = {
  workspaceId: 'acc_1',
  commandId: 'cmd_1',
  now: '2026-06-10T00:00:00.000Z',
} as CommandContext;

/** The months that are accrued when a month is closed. `last` is the month of the newest accrual, `closed` the newest closed month. */
async function accrued(
  month: BookMonth,
  first: BookMonth,
  { last, closed }: { last?: BookMonth; closed?: BookMonth } = {},
): Promise<BookMonth[]> {
  const months: BookMonth[] = [];
  const accrual =
    last === undefined ? undefined : ({ month: last, unbilled: [] } as unknown as RevenueAccrual);
  const aggregates = { load: () => Promise.resolve(accrual) } as unknown as AggregateStore;
  const settings = { ofWorkspace: () => Promise.resolve({}) } as unknown as CurrentBillingSettings;
  const closedMonths = {
    ofWorkspace: () => Promise.resolve(closed === undefined ? [] : [{ month: closed }]),
    isClosed: (_: string, one: BookMonth) => Promise.resolve(closed !== undefined && one <= closed),
  } as unknown as ClosedMonths;
  const source: AccrualSource = {
    ...{ id: 'sub_1', timezone: 'UTC' },
    measure: async (end) => void months.push(end.month),
  };
  const accruer = new MonthAccruer(aggregates, settings, closedMonths);
  await accruer.accrueThrough(context, source, month, async () => first);
  return months;
}

describe('a month that is closed after an outage', () => {
  it('comes after the open months that have no accrual yet, from the first one on', async () => {
    expect(await accrued('2026-05', '2026-03')).toEqual(['2026-03', '2026-04', '2026-05']);
    expect(await accrued('2026-05', '2026-05')).toEqual(['2026-05']);
    expect(await accrued('2026-05', '2026-01', { closed: '2026-03' })).toEqual(['2026-04', '2026-05']);
  });

  it('comes after the months that follow the newest accrual, whatever the first month was', async () => {
    expect(await accrued('2026-05', '2026-01', { last: '2026-03' })).toEqual(['2026-04', '2026-05']);
    expect(await accrued('2026-05', '2026-01', { last: '2026-05' })).toEqual(['2026-05']);
  });
});
