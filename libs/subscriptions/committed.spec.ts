import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/event-store';
import { computeInvoice, type PriceSnapshot } from '#libs/rating';
import {
  ahead,
  B0,
  B1,
  B2,
  behind,
  charge,
  create,
  pass,
  plan,
  price,
  setup,
  subscriptionId,
  usage,
  yearly,
} from '../../test/support/sample-subscription.js';
import { usageBill } from './bill.js';
import { subscriptionDecider, type SubscriptionCommand } from './decider.js';
import type { Bill, TermsChange } from './events.js';
import type { Subscription } from './subscription.js';

/** Half of the first period, of 28 days. */
const at = '2026-02-14T10:00:00.000Z';
const first = { start: B0, end: B1 };

const committing = (minimumCommitment: string | undefined, ...prices: PriceSnapshot[]) => ({
  ...plan(...prices),
  minimumCommitment,
});
const part = (minimum: string, start: string, end: string, planVersion = 3) => ({
  ...{ start, end, planId: 'plan_1', planVersion, planName: 'Pro', minimum },
});

/** What becomes of a subscription by these commands, and the bills that they led to. */
function after(...commands: SubscriptionCommand[]): { state: Subscription; bills: (Bill | null)[] } {
  let state: Subscription | undefined;
  const bills = commands.map((command) => {
    const before = state?.billCount ?? 0;
    state = fold(subscriptionDecider, subscriptionDecider.decide(command, state), state)!;
    return state.billCount > before ? state.lastBill : null;
  });
  return { state: state!, bills };
}

const subscribed = (minimum: string | undefined, ...prices: PriceSnapshot[]) =>
  create(prices, { plan: committing(minimum, ...prices) });
const change = (more: Partial<TermsChange>): SubscriptionCommand => ({
  type: 'AmendSubscription',
  subscriptionId,
  amendmentId: 'amd_1',
  kind: 'migrate',
  change: { plan: null, addPrices: [], removePrices: [], quantities: {}, ...more },
  prorate: true,
  at,
});
const migrated = (minimum: string | undefined, planVersion: number, ...prices: PriceSnapshot[]) =>
  change({ plan: { ...committing(minimum, ...prices), planVersion } });

describe('what a subscription commits to', () => {
  it('is on the bill that ends each period, with what was billed of it in advance', () => {
    const { bills } = after(subscribed('100', usage, ahead, setup), pass(B1), pass(B2));
    expect(bills[0]).not.toHaveProperty('commitment');
    expect(bills[1]?.commitment).toEqual({
      parts: [part('100', B0, B1)],
      service: first,
      period: first,
      counted: [charge(ahead, B0, B1)],
    });
    expect(bills[2]?.commitment).toMatchObject({
      parts: [part('100', B1, B2)],
      service: { start: B1, end: B2 },
      counted: [charge(ahead, B1, B2)],
    });
  });

  it('is nothing for a plan that has no least amount', () => {
    const { bills } = after(subscribed(undefined, usage, ahead), pass(B1));
    expect(bills[1]).not.toHaveProperty('commitment');
  });

  it('makes a bill by itself where nothing else is charged', () => {
    const { bills } = after(subscribed('100', setup), pass(B1));
    expect(bills[1]).toMatchObject({ kind: 'cycle', charges: [], commitment: { service: first } });
  });

  it('counts usage that was billed early, and is not billed early itself', () => {
    const { state } = after(subscribed('100', usage, ahead));
    const early = usageBill(state, at, 'inv_early', ['usage'])!;
    const { bills } = after(
      subscribed('100', usage, ahead),
      { type: 'BillUsage', subscriptionId, bill: early },
      pass(B1),
    );
    expect(bills[1]).not.toHaveProperty('commitment');
    expect(bills[2]?.commitment?.counted).toEqual([
      charge(ahead, B0, B1),
      charge(usage, B0, at, { start: B0, end: B1 }),
    ]);
    expect(bills[2]?.charges[0]).toEqual(charge(usage, at, B1, { start: B0, end: B1 }));
  });

  it('counts fees in arrears of a longer cadence for the time that they are for', () => {
    const late = price('late', { cadence: 'annual' });
    const { bills } = after(subscribed('100', behind, late), pass(B1));
    const year = { start: B0, end: '2027-01-31T10:00:00.000Z' };
    expect(bills[1]?.commitment?.counted).toEqual([{ price: late, service: year, period: year }]);
  });

  it('is in parts where the least amount changes, and ends where the period does', () => {
    const { bills } = after(
      subscribed('100', usage, ahead),
      migrated('200', 4, usage, ahead),
      pass(B1),
      pass(B2),
    );
    expect(bills[1]).toBeNull();
    expect(bills[2]?.commitment?.parts).toEqual([part('100', B0, at), part('200', at, B1, 4)]);
    expect(bills[3]?.commitment?.parts).toEqual([part('200', B1, B2, 4)]);
  });

  it('goes on where the least amount stays, ends where the new plan has none, and begins with one that has', () => {
    const parts = (...commands: SubscriptionCommand[]) =>
      after(...commands, pass(B1)).bills.at(-1)?.commitment?.parts;
    expect(parts(subscribed('100', usage), migrated('100', 4, usage))).toEqual([part('100', B0, B1)]);
    expect(parts(subscribed('100', usage), migrated(undefined, 4, usage))).toEqual([part('100', B0, at)]);
    expect(parts(subscribed(undefined, usage), migrated('100', 4, usage))).toEqual([part('100', at, B1, 4)]);
    expect(parts(subscribed('100', usage, ahead), change({ removePrices: ['ahead'] }))).toEqual([
      part('100', B0, B1),
    ]);
  });

  it('counts what a change gives back, so that a fee counts for as long as it was served', () => {
    const { bills } = after(subscribed('100', usage, ahead), migrated('100', 4, usage, behind), pass(B1));
    const { commitment, charges } = bills[2]!;
    const { commitment: reading } = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'USD',
      charges: charges.filter(({ price: of }) => of.metricId === null),
      commitment: {
        ...commitment!,
        counted: commitment!.counted.filter(({ price: of }) => of.metricId === null),
      },
    });
    // 20.00 a month in advance for the first half, and 20.00 in arrears for the second.
    expect(reading).toMatchObject({ due: '100.00', counted: '20.00' });
  });

  it('is for its share where a pause, an end or another interval cuts the period short', () => {
    const cut = { parts: [part('100', B0, at)], service: { start: B0, end: at }, period: first };
    const pause = { type: 'PauseSubscription', pauseAt: null, resumeAt: null } as const;
    const about = { subscriptionId, at };
    for (const command of [
      { type: 'CancelSubscription', when: 'now', ...about } as const,
      { ...pause, ...about },
      migrated('1000', 4, yearly),
    ])
      expect(after(subscribed('100', usage, ahead), command).bills[1]?.commitment).toMatchObject(cut);
  });

  it('begins anew when a pause is over', () => {
    const { bills } = after(
      subscribed('100', usage, ahead),
      ...([
        { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: null, at },
        { type: 'ResumeSubscription', subscriptionId, resumeAt: null, at: B2 },
      ] as const),
      pass('2026-04-30T10:00:00.000Z'),
    );
    const service = { start: B2, end: '2026-04-30T10:00:00.000Z' };
    expect(bills.at(-1)?.commitment).toMatchObject({
      parts: [{ ...service, minimum: '100' }],
      service,
      counted: [{ service }],
    });
  });

  it('is for time that is charged: not for a trial', () => {
    const trialEnd = '2026-02-10T10:00:00.000Z';
    const end = '2026-03-10T10:00:00.000Z';
    const { bills } = after(
      create([usage], { plan: committing('100', usage), trialDays: 10 }),
      pass(trialEnd),
      pass(end),
    );
    expect(bills.slice(0, 2)).toEqual([null, null]);
    expect(bills[2]?.commitment?.service).toEqual({ start: trialEnd, end });
  });
});
