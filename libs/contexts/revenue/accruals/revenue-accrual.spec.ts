import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSeconds, Decimal, sumOf } from '#libs/kernel/core';
import { decide, recordedEvent } from '#libs/kernel/testing';
import { fold } from '#libs/kernel/domain';
import {
  AccountBalances,
  InMemoryLedger,
  takesEffectBy,
  type LedgerTransaction,
} from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { lastInstantOfMonth } from '../book-months.js';
import { revenueAccrualDecider, type RevenueAccrual, type RevenueAccrualCommand } from './revenue-accrual.js';

const { given } = decide(revenueAccrualDecider);
const about = { subscriptionId: 'sub_1', customerId: 'northwind', currency: 'USD', timezone: 'UTC' };

function accrue(
  month: string,
  amount: string,
  more: Partial<RevenueAccrualCommand> = {},
): RevenueAccrualCommand {
  const at = lastInstantOfMonth(month, 'UTC');
  const unbilled = new Decimal(amount).isZero() ? [] : [{ priceId: 'price_1', amount, invoiceId: null }];
  return {
    type: 'AccrueRevenue',
    ...about,
    month,
    at,
    now: at,
    unbilled,
    nextBillAt: '2026-02-15T00:00:00.000Z',
    ...more,
  };
}

const line = (amount: string) => ({ priceId: 'price_1', amount });

function accrued(month: string, total: string, change: string, reversal: { at: string; amount: string }) {
  const unbilled = new Decimal(total).isZero() ? [] : [{ ...line(total), invoiceId: null }];
  return {
    type: 'RevenueAccrued' as const,
    data: {
      ...about,
      month,
      at: lastInstantOfMonth(month, 'UTC'),
      total,
      unbilled,
      lines: [line(change)],
      reversal: {
        at: reversal.at,
        lines: new Decimal(reversal.amount).isZero() ? [] : [line(reversal.amount)],
      },
    },
  };
}

describe('accruing a month', () => {
  const first = accrued('2026-01', '10.00', '10.00', { at: '2026-02-15T00:00:00.000Z', amount: '10.00' });

  it('records what is unbilled, and reverses it when the next bill is expected', () => {
    given().when(accrue('2026-01', '10.00')).then(first);
    given().when(accrue('2026-01', '0')).then();
  });

  it('is refused before the month is over, because the ledger books nothing ahead of its time', () => {
    given()
      .when(accrue('2026-01', '10.00', { now: '2026-01-31T23:59:59.998Z' }))
      .refused('month_not_over');
  });

  it('reverses it right after the event, if the bill was expected before', () => {
    const late = { now: '2026-02-20T00:00:00.000Z' };
    given()
      .when(accrue('2026-01', '10.00', late))
      .then(accrued('2026-01', '10.00', '10.00', { at: '2026-02-20T00:00:00.001Z', amount: '10.00' }));
  });

  it('records the difference to what is still accrued, and replaces its reversal', () => {
    const quarter = '2026-04-01T00:00:00.000Z';
    const open = accrued('2026-01', '10.00', '10.00', { at: quarter, amount: '10.00' });
    given(open)
      .when(accrue('2026-02', '25.00', { nextBillAt: quarter }))
      .then(accrued('2026-02', '25.00', '15.00', { at: quarter, amount: '25.00' }));
    given(open)
      .when(accrue('2026-02', '0'))
      .then(accrued('2026-02', '0.00', '-10.00', { at: '2026-03-01T00:00:00.000Z', amount: '0' }));
    given(first)
      .when(accrue('2026-02', '4.00', { nextBillAt: '2026-03-15T00:00:00.000Z' }))
      .then(accrued('2026-02', '4.00', '4.00', { at: '2026-03-15T00:00:00.000Z', amount: '4.00' }));
  });

  it('records the difference of a second measurement of the same month', () => {
    const before = { now: '2026-02-03T00:00:00.000Z' };
    given(first)
      .when(accrue('2026-01', '12.00', before))
      .then(accrued('2026-01', '12.00', '2.00', { at: '2026-02-15T00:00:00.000Z', amount: '12.00' }));
    const after = { now: '2026-02-20T00:00:00.000Z', nextBillAt: '2026-03-15T00:00:00.000Z' };
    given(first)
      .when(accrue('2026-01', '12.00', after))
      .then(accrued('2026-01', '12.00', '2.00', { at: '2026-03-15T00:00:00.000Z', amount: '2.00' }));
  });

  it('changes no month before the newest one', () => {
    given(accrued('2026-02', '4.00', '4.00', { at: '2026-03-15T00:00:00.000Z', amount: '4.00' }))
      .when(accrue('2026-01', '9.00'))
      .then();
  });
});

describe('the ledger', () => {
  it('posts an accrual that was stored ahead of its time with the event, and its reversal later', () => {
    const early = accrued('2026-01', '10.00', '10.00', { at: '2026-02-15T00:00:00.000Z', amount: '10.00' });
    const metadata = { occurredAt: '2026-01-31T10:00:00.000Z' };
    const ledger = new InMemoryLedger(postingRules());
    const posted = ledger.post(recordedEvent('revenueAccrual-acc_1.sub_1', early, metadata));
    expect(posted).toMatchObject({ at: '2026-01-31T10:00:00.000Z', date: '2026-01-31' });
    const later = ledger.scheduledTransactionsUntil('2999-01-01T00:00:00.000Z');
    expect(later).toMatchObject([{ date: '2026-02-15' }]);
  });

  it('has at the end of each month what was unbilled then, however late it was measured, and nothing in the end', () => {
    const month = fc.record({
      amount: fc.integer({ min: 0, max: 9 }),
      delayHours: fc.integer({ min: 0, max: 20 * 24 }),
      billedAfterHours: fc.integer({ min: 0, max: 100 * 24 }),
      again: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(month, { minLength: 1, maxLength: 6 }), (course) => {
        const run = new Run();
        const expected: string[] = [];
        course.forEach(({ amount, delayHours, billedAfterHours, again }, i) => {
          const name = `2026-0${i + 1}`;
          const at = lastInstantOfMonth(name, 'UTC');
          const nextBillAt = addSeconds(at, billedAfterHours * 3_600 + 0.001);
          run.do(accrue(name, `${amount}.00`, { now: addSeconds(at, delayHours * 3_600), nextBillAt }));
          if (again !== undefined)
            run.do(accrue(name, `${again}.00`, { now: addSeconds(at, 22 * 24 * 3_600), nextBillAt }));
          expected.push(`${again ?? amount}`);
        });
        expect(course.map((_, i) => run.unbilledBy(lastInstantOfMonth(`2026-0${i + 1}`, 'UTC')))).toEqual(
          expected,
        );
        expect(run.unbilledBy('2027-01-01T00:00:00.000Z')).toBe('0');
      }),
      { numRuns: 300 },
    );
  });
});

/** The accruals of a subscription, with the ledger that posts them. */
class Run {
  private state: RevenueAccrual | undefined;
  private readonly ledger = new InMemoryLedger(postingRules());
  private readonly posted: LedgerTransaction[] = [];
  private count = 0;

  do(command: RevenueAccrualCommand): void {
    const events = revenueAccrualDecider.decide(command, this.state);
    this.state = fold(revenueAccrualDecider, events, this.state);
    for (const event of events) {
      this.count += 1;
      this.posted.push(...this.ledger.scheduledTransactionsUntil(command.now));
      const metadata = { id: `event-${this.count}`, occurredAt: command.now };
      const transaction = this.ledger.post(recordedEvent('revenueAccrual-acc_1.sub_1', event, metadata));
      if (transaction) this.posted.push(transaction);
    }
  }

  unbilledBy(moment: string): string {
    const all = [...this.posted, ...this.ledger.scheduledTransactionsUntil('2999-01-01T00:00:00.000Z')];
    const balances = new AccountBalances();
    const once = new Map(all.map((one) => [one.id, one]));
    for (const one of once.values()) if (takesEffectBy(one, moment)) balances.addTransaction(one);
    const sums = balances.list().filter(({ account }) => account === 'unbilled_receivables');
    return new Decimal(sumOf(sums.map(({ balance }) => balance))).toFixed();
  }
}
