import { describe, expect, it } from '@jest/globals';
import type { CurrentBillingSettings } from '#libs/contexts/invoicing';
import type { AggregateStore, CommandContext } from '#libs/kernel/event-store';
import type { ClosedMonths } from '../closing/closed-months.js';
import type { BookMonth } from '../book-months.js';
import { MonthAccruer, type AccrualSource, type MonthEnd } from './month-accruer.js';
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
    id: 'sub_1',
    timezone: 'UTC',
    measure: async (end) => void months.push(end.month),
  };
  const accruer = new MonthAccruer(aggregates, settings, closedMonths);
  await accruer.accrueThrough(context, source, { month, timezone: null }, async () => first);
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

describe('a month that was closed before the saga accrues it', () => {
  it('has the unbilled amounts that the closing measured, so that later months are still accrued', async () => {
    const draft = { priceId: 'price_1', amount: '10.00', invoiceId: 'inv_1' };
    const accrual = { month: '2026-05', unbilled: [draft] } as unknown as RevenueAccrual;
    const accruer = new MonthAccruer(
      { load: () => Promise.resolve(accrual) } as unknown as AggregateStore,
      { ofWorkspace: () => Promise.resolve({}) } as unknown as CurrentBillingSettings,
      { isClosed: () => Promise.resolve(true) } as unknown as ClosedMonths,
    );
    const source = { id: 'sub_1', timezone: 'UTC' } as AccrualSource;
    const next = await accruer.accrueIfMonthIsOver(
      context,
      source,
      '2026-05',
      (_, unbilled = 0) => unbilled === 0,
    );
    expect(next).toMatchObject({ month: '2026-06' });
  });
});

describe('a month whose time zone is changed while it is accrued', () => {
  /** The ends that are measured for May 2026. The settings have another time zone at each read. */
  async function measuredEnds(
    accrue: (accruer: MonthAccruer, source: AccrualSource, noon: CommandContext) => Promise<unknown>,
  ): Promise<MonthEnd[]> {
    const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
    const settings = {
      ofWorkspace: () => Promise.resolve({ timezone: zones.shift() }),
    } as unknown as CurrentBillingSettings;
    const aggregates = { load: () => Promise.resolve(undefined) } as unknown as AggregateStore;
    const closedMonths = {
      ofWorkspace: () => Promise.resolve([]),
      isClosed: () => Promise.resolve(false),
    } as unknown as ClosedMonths;
    const ends: MonthEnd[] = [];
    const measure = async (end: MonthEnd) => void ends.push(end);
    const accruer = new MonthAccruer(aggregates, settings, closedMonths);
    const noon = { ...context, now: '2026-05-31T12:00:00.000Z' };
    await accrue(accruer, { id: 'sub_1', timezone: 'UTC', measure }, noon);
    return ends;
  }

  it('has the one end that was over', async () => {
    const ends = await measuredEnds((accruer, source, noon) =>
      accruer.accrueIfMonthIsOver(noon, source, '2026-05', () => false),
    );
    expect(ends).toMatchObject([{ timezone: 'Pacific/Kiritimati', at: '2026-05-31T09:59:59.999Z' }]);
  });

  it('is closed with the end that the closing began with', async () => {
    const closing = { month: '2026-05', timezone: 'Asia/Tokyo' };
    const ends = await measuredEnds((accruer, source, noon) =>
      accruer.accrueThrough(noon, source, closing, async () => '2026-04'),
    );
    expect(ends).toMatchObject([
      { month: '2026-04', timezone: 'Asia/Tokyo' },
      { month: '2026-05', timezone: 'Asia/Tokyo' },
    ]);
  });
});
