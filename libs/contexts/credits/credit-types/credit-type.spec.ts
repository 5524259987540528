import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import { creditTypeDecider, endOfRate, rateInForceAt, ratesOf } from './credit-type.js';
import type { CreditAllowance, CreditRate, CreditTypeDetails } from './events.js';

const of = { creditType: 'ai-credits', at: '2026-01-10T00:00:00.000Z' };
const { at } = of;
const details: CreditTypeDetails = {
  name: 'AI credits',
  unitPrice: '0.01',
  currency: 'USD',
  overage: 'block',
  overagePrice: null,
  expiresAfterDays: null,
};
const created = { type: 'CreditTypeCreated', data: { ...of, ...details } } as const;
const { given } = decide(creditTypeDecider);

const rate = (rateId: string, effectiveAt: string, metricId = 'met_1'): CreditRate => ({
  rateId,
  metricId,
  creditsPerUnit: '2',
  groups: [],
  effectiveAt,
});
const addRate = (one: CreditRate) => ({ type: 'AddCreditRate', ...of, rate: one }) as const;
const rateAdded = (one: CreditRate) => ({ type: 'CreditRateAdded', data: { ...of, ...one } }) as const;
const removeRate = (rateId: string) => ({ type: 'RemoveCreditRate', ...of, rateId }) as const;

const allowance: CreditAllowance = {
  allowanceId: 'alw_1',
  planId: 'plan_1',
  credits: '1000',
  every: 'month',
  priority: 10,
  rollover: { minimum: '0', maximum: '200' },
};
const addAllowance = (one = allowance) => ({ type: 'AddCreditAllowance', ...of, allowance: one }) as const;
const allowanceAdded = { type: 'CreditAllowanceAdded', data: { ...of, ...allowance } } as const;

describe('a credit type', () => {
  it('is created once', () => {
    const create = { type: 'CreateCreditType', ...of, details } as const;
    given().when(create).then(created);
    given(created).when(create).refused('credit_type_already_exists', 'type');
  });

  it('records only the fields that a change makes different', () => {
    const update = (changes: Partial<CreditTypeDetails>) =>
      given(created).when({ type: 'UpdateCreditType', ...of, changes });
    update({ name: 'AI credits', unitPrice: '0.02', overage: 'allow' }).then({
      type: 'CreditTypeUpdated',
      data: { ...of, unitPrice: '0.02', overage: 'allow' },
    });
    expect(update({ unitPrice: '0.02' }).state()).toMatchObject({
      name: 'AI credits',
      unitPrice: '0.02',
      createdAt: at,
    });
    update({ name: 'AI credits' }).then();
  });

  it('must exist before it gets rates and allowances', () => {
    given()
      .when(addRate(rate('rate_1', at)))
      .refused('credit_type_not_found');
    given().when(addAllowance()).refused('credit_type_not_found');
    given()
      .when({ type: 'UpdateCreditType', ...of, changes: {} })
      .refused('credit_type_not_found');
  });
});

describe('a rate', () => {
  const feb = '2026-02-01T00:00:00.000Z';
  const mar = '2026-03-01T00:00:00.000Z';

  it('is in force from its effect until the next rate of its metric begins', () => {
    const all = [rate('a', at), rate('c', mar), rate('b', feb), rate('other', feb, 'met_2')];
    const state = fold(creditTypeDecider, [created, ...all.map(rateAdded)])!;
    const inForce = (instant: string) => rateInForceAt(ratesOf(state, 'met_1'), instant)?.rateId;
    expect([at, '2026-01-31T23:59:59.999Z', feb, mar].map(inForce)).toEqual(['a', 'a', 'b', 'c']);
    expect(inForce('2026-01-09T23:59:59.999Z')).toBeUndefined();
    expect(state.rates.map((one) => endOfRate(state, one))).toEqual([feb, null, mar, null]);
  });

  it('cannot begin in the past, nor at the same instant as another', () => {
    given(created)
      .when(addRate(rate('a', '2026-01-09T23:59:59.999Z')))
      .refused('validation_failed', 'effectiveAt');
    const first = rateAdded(rate('a', feb));
    given(created, first)
      .when(addRate(rate('b', feb)))
      .refused('validation_failed', 'effectiveAt');
    const other = rate('b', feb, 'met_2');
    given(created, first).when(addRate(other)).then(rateAdded(other));
  });

  it('that is removed leaves the one before in force', () => {
    const history = [created, rateAdded(rate('a', at)), rateAdded(rate('b', feb))];
    const state = given(...history)
      .when(removeRate('b'))
      .state()!;
    expect(rateInForceAt(ratesOf(state, 'met_1'), mar)?.rateId).toBe('a');
    given(created).when(removeRate('b')).refused('rate_not_found');
  });
});

describe('an allowance', () => {
  const remove = { type: 'RemoveCreditAllowance', ...of, allowanceId: 'alw_1' } as const;

  it('is added and removed', () => {
    given(created).when(addAllowance()).then(allowanceAdded);
    expect(given(created).when(addAllowance()).state()!.allowances).toEqual([
      { ...allowance, createdAt: at },
    ]);
    expect(given(created, allowanceAdded).when(remove).state()!.allowances).toEqual([]);
    given(created).when(remove).refused('allowance_not_found');
  });

  it('cannot keep more than its maximum', () => {
    given(created)
      .when(addAllowance({ ...allowance, rollover: { minimum: '201', maximum: '200' } }))
      .refused('validation_failed', 'rollover.minimum');
  });
});
