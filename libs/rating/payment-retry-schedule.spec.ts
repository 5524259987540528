import { describe, expect, it } from '@jest/globals';
import { isFinalDecline, nextRetryAt, remainingRetryTimes } from './payment-retry-schedule.js';

const schedule = { intervalsDays: [1, 3, 5, 7], localHour: null };
const berlin = { timezone: 'Europe/Berlin' };

describe('the times of retries', () => {
  it('count each interval from the previous attempt', () => {
    const from = { failedAt: '2026-03-01T10:15:00.000Z', made: 0, timezone: 'UTC' };
    expect(remainingRetryTimes(schedule, from)).toEqual([
      '2026-03-02T10:15:00.000Z',
      '2026-03-05T10:15:00.000Z',
      '2026-03-10T10:15:00.000Z',
      '2026-03-17T10:15:00.000Z',
    ]);
    expect(remainingRetryTimes(schedule, { ...from, made: 3 })).toEqual(['2026-03-08T10:15:00.000Z']);
  });

  it('end after the last interval', () => {
    const failedAt = '2026-03-01T10:15:00.000Z';
    expect(nextRetryAt(schedule, { failedAt, made: 4, timezone: 'UTC' })).toBeNull();
    expect(
      nextRetryAt({ ...schedule, intervalsDays: [] }, { failedAt, made: 0, timezone: 'UTC' }),
    ).toBeNull();
  });

  it('keep the local hour when clocks change: they went forward on 29 March 2026 in Berlin', () => {
    const atNine = { intervalsDays: [1, 3], localHour: 9 };
    // 23:30 on 27 March is 22:30 UTC. The next day at 09:00 is still winter time, and three days later is summer time.
    expect(remainingRetryTimes(atNine, { failedAt: '2026-03-27T22:30:00.000Z', made: 0, ...berlin })).toEqual(
      ['2026-03-28T08:00:00.000Z', '2026-03-31T07:00:00.000Z'],
    );
  });

  it('take the first moment after an hour that the clock skips', () => {
    const atTwo = { intervalsDays: [1], localHour: 2 };
    expect(nextRetryAt(atTwo, { failedAt: '2026-03-28T12:00:00.000Z', made: 0, ...berlin })).toBe(
      '2026-03-29T01:00:00.000Z',
    );
  });
});

describe('a final decline', () => {
  it('is a stolen card, and not one without funds', () => {
    expect(isFinalDecline('stolen_card')).toBe(true);
    expect(isFinalDecline('insufficient_funds')).toBe(false);
    expect(isFinalDecline('card_declined')).toBe(false);
  });
});
