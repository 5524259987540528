import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { creditTypeDecider, endOfRate, rateInForce, type CreditTypeCommand } from './credit-type.js';
import type { CreditAllowance, CreditRate, CreditTypeEvent } from './events.js';

const at = '2026-01-10T00:00:00.000Z';
const creditType = 'ai-credits';
const details = {
  name: 'AI credits',
  unitPrice: '0.01',
  currency: 'USD',
  overage: 'block',
  overagePrice: null,
  expiresAfterDays: null,
} as const;
const created: CreditTypeEvent = { type: 'CreditTypeCreated', data: { creditType, at, ...details } };
const rate = (rateId: string, effectiveAt: string, metricId = 'met_1'): CreditRate => ({
  ...{ rateId, metricId, creditsPerUnit: '2', groups: [], effectiveAt },
});
const added = (one: CreditRate): CreditTypeEvent => ({
  type: 'CreditRateAdded',
  data: { creditType, at, ...one },
});
const allowance: CreditAllowance = {
  ...{ allowanceId: 'alw_1', planId: 'plan_1', credits: '1000', every: 'month', priority: 10 },
  rollover: { minimum: '0', maximum: '200' },
};

type Wanted = CreditTypeCommand extends infer One
  ? One extends CreditTypeCommand
    ? Omit<One, 'at' | 'creditType'>
    : never
  : never;

function decide(given: CreditTypeEvent[], command: Wanted): CreditTypeEvent[] {
  const state = fold(creditTypeDecider, given);
  return creditTypeDecider.decide({ creditType, at, ...command }, state);
}

describe('a credit type', () => {
  it('is created once', () => {
    expect(decide([], { type: 'CreateCreditType', details })).toEqual([created]);
    expect(() => decide([created], { type: 'CreateCreditType', details })).toThrow(
      'A credit type "ai-credits" exists already; choose another type or change that one with PATCH',
    );
  });

  it('records only the fields that a change makes different', () => {
    const changes = { name: 'AI credits', unitPrice: '0.02', overage: 'allow' as const };
    const [event] = decide([created], { type: 'UpdateCreditType', changes });
    expect(event).toEqual({
      type: 'CreditTypeUpdated',
      data: { creditType, at, unitPrice: '0.02', overage: 'allow' },
    });
    expect(fold(creditTypeDecider, [created, event!])).toMatchObject({
      ...{ name: 'AI credits', unitPrice: '0.02', overage: 'allow', createdAt: at },
    });
    expect(decide([created], { type: 'UpdateCreditType', changes: { name: 'AI credits' } })).toEqual([]);
  });

  it('must exist before it gets rates and allowances', () => {
    const commands: Wanted[] = [
      { type: 'AddCreditRate', rate: rate('rate_1', at) },
      { type: 'AddCreditAllowance', allowance },
      { type: 'UpdateCreditType', changes: {} },
    ];
    for (const command of commands)
      expect(() => decide([], command)).toThrow('No credit type "ai-credits" in this workspace');
  });
});

describe('a rate', () => {
  const feb = '2026-02-01T00:00:00.000Z';
  const mar = '2026-03-01T00:00:00.000Z';
  const rates = (...all: CreditRate[]) => fold(creditTypeDecider, [created, ...all.map(added)])!;

  it('is in force from its effect until the next rate of its metric begins', () => {
    const state = rates(rate('a', at), rate('c', mar), rate('b', feb), rate('other', feb, 'met_2'));
    const inForce = (instant: string) => rateInForce(state, 'met_1', instant)?.rateId;
    expect([at, '2026-01-31T23:59:59.999Z', feb, mar].map(inForce)).toEqual(['a', 'a', 'b', 'c']);
    expect(inForce('2026-01-09T23:59:59.999Z')).toBeUndefined();
    expect(state.rates.map((one) => endOfRate(state, one))).toEqual([feb, null, mar, null]);
  });

  it('cannot begin in the past, nor at the same instant as another', () => {
    const add = (one: CreditRate, ...given: CreditRate[]) =>
      decide([created, ...given.map(added)], { type: 'AddCreditRate', rate: one });
    expect(() => add(rate('a', '2026-01-09T23:59:59.999Z'))).toThrow(
      `effectiveAt: must not be before ${at}, the time of the workspace`,
    );
    expect(() => add(rate('b', feb), rate('a', feb))).toThrow(
      'must differ from the other rates of the metric: a begins at that instant',
    );
    expect(add(rate('b', feb, 'met_2'), rate('a', feb))).toEqual([added(rate('b', feb, 'met_2'))]);
  });

  it('that is removed leaves the one before in force', () => {
    const [removed] = decide([created, added(rate('a', at)), added(rate('b', feb))], {
      ...{ type: 'RemoveCreditRate', rateId: 'b' },
    });
    const state = fold(creditTypeDecider, [created, added(rate('a', at)), added(rate('b', feb)), removed!])!;
    expect(rateInForce(state, 'met_1', mar)?.rateId).toBe('a');
    expect(() => decide([created], { type: 'RemoveCreditRate', rateId: 'b' })).toThrow(
      'No rate "b" in this workspace',
    );
  });
});

describe('an allowance', () => {
  it('is added and removed', () => {
    const events = decide([created], { type: 'AddCreditAllowance', allowance });
    expect(fold(creditTypeDecider, [created, ...events])!.allowances).toEqual([
      { ...allowance, createdAt: at },
    ]);
    const removed = decide([created, ...events], {
      type: 'RemoveCreditAllowance',
      allowanceId: 'alw_1',
    });
    expect(fold(creditTypeDecider, [created, ...events, ...removed])!.allowances).toEqual([]);
    expect(() => decide([created], { type: 'RemoveCreditAllowance', allowanceId: 'alw_1' })).toThrow(
      'No allowance "alw_1" in this workspace',
    );
  });

  it('cannot keep more than its maximum', () => {
    const wrong = { ...allowance, rollover: { minimum: '201', maximum: '200' } };
    expect(() => decide([created], { type: 'AddCreditAllowance', allowance: wrong })).toThrow(
      'rollover.minimum: must not be above rollover.maximum',
    );
  });
});
