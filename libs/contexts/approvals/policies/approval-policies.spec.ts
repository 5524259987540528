import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { approvalPoliciesDecider, INITIAL_POLICY, needsApproval } from './approval-policies.js';
import type { ApprovalPolicy, ApprovalPolicyChange, ApprovalPolicyEvent } from './events.js';

const { given } = decide(approvalPoliciesDecider);
const [jan1, jan2] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
const from = (amount: string | null, currency: string | null = amount && 'USD'): ApprovalPolicy => ({
  enabled: true,
  thresholdAmount: amount,
  thresholdCurrency: currency,
  expiresInDays: 7,
});
const change = (policy: ApprovalPolicyChange, at = jan1) =>
  ({ type: 'ChangeApprovalPolicy', action: 'invoice.void', policy, at }) as const;
const changed = (policy: ApprovalPolicy, at = jan1): ApprovalPolicyEvent => ({
  type: 'ApprovalPolicyChanged',
  data: { action: 'invoice.void', ...policy, at },
});

describe('an approval policy', () => {
  it('changes, and stays as it is if it is set again', () => {
    given()
      .when(change(from('100')))
      .then(changed(from('100')));
    given().when(change(INITIAL_POLICY)).then();
    given(changed(from('100')))
      .when(change(from('100.0'), jan2))
      .then();
    given(changed(from('100')))
      .when(change(from(null), jan2))
      .then(changed(from(null), jan2));
    given(changed(from('100'), jan2))
      .when(change(from('200'), jan1))
      .then(changed(from('200'), jan2));
    expect(given(changed(from('100'))).state()).toEqual({
      'invoice.void': { ...from('100'), updatedAt: jan1 },
    });
  });

  it('keeps what a change does not name, and the currency of a threshold ends with it', () => {
    const policy: ApprovalPolicy = { ...from('100'), expiresInDays: 3 };
    const after = () => given(changed(policy));
    after()
      .when(change({ enabled: true }, jan2))
      .then();
    after()
      .when(change({ enabled: false }, jan2))
      .then(changed({ ...policy, enabled: false }, jan2));
    after()
      .when(change({ enabled: true, thresholdAmount: '200' }, jan2))
      .then(changed({ ...policy, thresholdAmount: '200' }, jan2));
    after()
      .when(change({ enabled: true, thresholdCurrency: 'EUR' }, jan2))
      .then(changed({ ...policy, thresholdCurrency: 'EUR' }, jan2));
    after()
      .when(change({ enabled: true, thresholdAmount: null }, jan2))
      .then(changed({ ...policy, thresholdAmount: null, thresholdCurrency: null }, jan2));
    after()
      .when(change({ enabled: true, thresholdCurrency: null }, jan2))
      .refused('validation_failed');
    given()
      .when(change({ enabled: true, thresholdAmount: '200' }))
      .refused('validation_failed');
  });

  it('has a currency beside its threshold, and none without', () => {
    given()
      .when(change(from('100', null)))
      .refused('validation_failed');
    given()
      .when(change(from(null, 'USD')))
      .refused('validation_failed');
    given()
      .when({ ...change(from('100')), action: 'subscription.cancel' })
      .refused('validation_failed', 'thresholdAmount');
  });

  it.each([
    ['99.99', 'USD', false],
    ['100.00', 'USD', true],
    ['9007199254740993', 'USD', true],
    ['1', 'EUR', true],
    [null, null, true],
    [null, 'USD', true],
  ])('with a threshold of 100 USD: %s %s needs approval: %s', (amount, currency, needs) => {
    expect(needsApproval(from('100'), { amount, currency })).toBe(needs);
    expect(needsApproval({ ...from('100'), enabled: false }, { amount, currency })).toBe(false);
    expect(needsApproval(from(null), { amount, currency })).toBe(true);
  });
});
