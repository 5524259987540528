import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { requireNoEarlierMonths, revenueMonthsDecider } from './revenue-months.js';

const { given } = decide(revenueMonthsDecider);
const figures = { position: '7', currencies: [] };
const at = '2026-04-01T12:00:00.000Z';
const close = (month: string) =>
  ({ type: 'CloseRevenueMonth', workspaceId: 'acc_1', month, at, ...figures }) as const;
const closed = (month: string) =>
  ({ type: 'RevenueMonthClosed', data: { workspaceId: 'acc_1', month, at, ...figures } }) as const;

describe('closing months', () => {
  it('begins with any month, and goes on in order', () => {
    given().when(close('2026-01')).then(closed('2026-01'));
    given(closed('2026-01')).when(close('2026-02')).then(closed('2026-02'));
  });

  it('changes nothing if the month is closed already, or is before the first closed one', () => {
    given(closed('2026-01')).when(close('2026-01')).then();
    given(closed('2026-01')).when(close('2025-12')).then();
  });

  it('begins with the first month that has postings', () => {
    expect(() => requireNoEarlierMonths([], '2026-03', '2026-01')).toThrow(
      expect.objectContaining({ code: 'earlier_months_open' }),
    );
    expect(() => requireNoEarlierMonths([], '2026-01', '2026-01')).not.toThrow();
    expect(() => requireNoEarlierMonths([], '2026-01', undefined)).not.toThrow();
    const [before] = [{ month: '2026-02', closedAt: at, currencies: [] }];
    expect(() => requireNoEarlierMonths([before], '2026-03', '2026-01')).not.toThrow();
  });

  it('leaves no month out', () => {
    given(closed('2026-01')).when(close('2026-03')).refused('month_out_of_order');
  });
});
