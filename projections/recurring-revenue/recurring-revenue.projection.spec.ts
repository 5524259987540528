import { describe, expect, it } from '@jest/globals';
import { recordedEvent } from '#libs/kernel/testing';
import { fold } from '#libs/kernel/domain';
import {
  subscriptionDecider,
  type Subscription,
  type SubscriptionCommand,
} from '#libs/contexts/subscriptions';
import { B0, B1, create, price, subscriptionId } from '../../test/support/sample-subscription.js';
import { recurringRevenueProjection } from './recurring-revenue.projection.js';
import type { RecurringRevenueRow } from './recurring-revenue-row.js';

const monthly = price('monthly', {
  timing: 'in_advance',
  config: { model: 'flat', amount: '30', currency: 'USD' },
});
const yearly = price('yearly', {
  cadence: 'annual',
  timing: 'in_advance',
  config: { model: 'flat', amount: '1200', currency: 'USD' },
});

/** The row after these commands. */
function rowAfter(...commands: SubscriptionCommand[]): RecurringRevenueRow {
  return after(...commands).row;
}

/** The row and the subscription after these commands. */
function after(...commands: SubscriptionCommand[]): { row: RecurringRevenueRow; state: Subscription } {
  let state: Subscription | undefined;
  let row: RecurringRevenueRow | undefined;
  for (const command of commands) {
    const events = subscriptionDecider.decide(command, state);
    state = fold(subscriptionDecider, events, state);
    for (const event of events)
      if (
        recurringRevenueProjection.eventTypes !== 'all' &&
        recurringRevenueProjection.eventTypes.has(event.type)
      )
        row = recurringRevenueProjection.evolve(
          row,
          recordedEvent('subscription-acc_1.sub_1', event) as never,
        );
  }
  return { row: row!, state: state! };
}

const at = (day: string) => `2026-${day}T00:00:00.000Z`;

describe('the recurring revenue of a subscription', () => {
  it('is new with its first charged period, by month', () => {
    expect(rowAfter(create([monthly, yearly]))).toMatchObject({
      amount: '130.00',
      movements: [{ month: B0.slice(0, 7), kind: 'new', amount: '130.00' }],
    });
  });

  it('does not change with a renewal of the same fees', () => {
    const start = create([monthly]);
    const due = B1;
    const state = fold(subscriptionDecider, subscriptionDecider.decide(start, undefined), undefined);
    const renewal = subscriptionDecider.decide(
      {
        type: 'AdvanceSubscription',
        subscriptionId,
        due,
        at: due,
        run: { runId: 'run_1', trigger: 'schedule' },
      },
      state,
    )[0]!;
    expect(renewal.type).toBe('SubscriptionRenewed');
    const before = rowAfter(start);
    const event = recordedEvent('subscription-acc_1.sub_1', renewal) as never;
    expect(recurringRevenueProjection.evolve(before, event)).toBe(before);
  });

  it('contracts with a pause, expands with a change, and churns with the end', () => {
    const change = { plan: null, addPrices: [yearly], removePrices: [], quantities: {} };
    const row = rowAfter(
      create([monthly]),
      { type: 'PauseSubscription', subscriptionId, at: at('01-20'), pauseAt: null, resumeAt: null },
      { type: 'ResumeSubscription', subscriptionId, at: at('02-20'), resumeAt: null },
      {
        type: 'AmendSubscription',
        subscriptionId,
        at: at('03-01'),
        amendmentId: 'amd_1',
        kind: 'amend',
        change,
        prorate: true,
      },
      { type: 'CancelSubscription', subscriptionId, at: at('03-10'), when: 'now' },
    );
    expect(row).toMatchObject({ amount: '0.00', charged: false });
    expect(row.movements.map(({ month, kind, amount }) => [month, kind, amount])).toEqual([
      [B0.slice(0, 7), 'new', '30.00'],
      ['2026-01', 'contraction', '-30.00'],
      ['2026-02', 'expansion', '30.00'],
      ['2026-03', 'expansion', '100.00'],
      ['2026-03', 'churn', '-130.00'],
    ]);
  });

  it('is new in the month of its start if it is created later', () => {
    const row = rowAfter(create([monthly], { at: at('03-05') }));
    expect(row.movements).toEqual([{ month: '2026-01', kind: 'new', amount: '30.00' }]);
  });

  it('has the active licenses after a pause, as the subscription has', () => {
    const seats = price('seats', {
      licenseTypeId: 'editor',
      timing: 'in_advance',
      config: { model: 'license', unitPrice: '10', currency: 'USD' },
    });
    const changes = [4, 3].map((active, i) => ({
      number: 6 + i,
      licenseTypeId: 'editor',
      active,
      at: at('02-10'),
    }));
    const { row, state } = after(
      create([seats, monthly], { licenses: { changes: 5, active: { editor: 5 } } }),
      { type: 'CountLicenses', subscriptionId, changes },
      { type: 'PauseSubscription', subscriptionId, at: at('02-20'), pauseAt: null, resumeAt: null },
      { type: 'ResumeSubscription', subscriptionId, at: at('03-10'), resumeAt: null },
    );
    expect(state.items.map(({ quantity }) => quantity)).toEqual(['3', '1']);
    expect(row.items.map(({ quantity }) => quantity)).toEqual(['3', '1']);
    expect(row.movements).toEqual([
      { month: '2026-01', kind: 'new', amount: '80.00' },
      { month: '2026-02', kind: 'contraction', amount: '-80.00' },
      { month: '2026-03', kind: 'expansion', amount: '60.00' },
    ]);
  });
});
