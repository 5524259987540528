import { describe, expect, it } from '@jest/globals';
import {
  testPaymentMethodFields,
  TEST_PAYMENT_METHOD_NAMES,
  TEST_PAYMENT_METHODS,
  outcomeOfTestCharge,
} from './test-payment-methods.js';

const statusOf = (test: string, attempt: number, declines?: number) =>
  outcomeOfTestCharge({ test, ...(declines === undefined ? {} : { declines }) }, attempt).status;

describe('test methods', () => {
  it('behave as their names say, at every attempt', () => {
    for (const attempt of [1, 2, 9]) {
      expect(statusOf('pm_card_visa', attempt)).toBe('succeeded');
      expect(statusOf('pm_card_chargeDeclined', attempt)).toBe('failed');
      expect(statusOf('pm_card_authenticationRequired', attempt)).toBe('requires_action');
    }
    expect(outcomeOfTestCharge({ test: 'pm_card_chargeDeclinedInsufficientFunds' }, 1)).toMatchObject({
      code: 'insufficient_funds',
    });
  });

  it('decline as often as requested, counting the attempts on the invoice, and then succeed', () => {
    const statuses = [1, 2, 3, 4].map((attempt) => statusOf('pm_card_declineThenSucceed', attempt, 2));
    expect(statuses).toEqual(['failed', 'failed', 'succeeded', 'succeeded']);
  });

  it('have different labels, so that people can distinguish them', () => {
    const labels = TEST_PAYMENT_METHOD_NAMES.map((name) => TEST_PAYMENT_METHODS[name].label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('accept `declines` only for the method that needs it', () => {
    expect(testPaymentMethodFields('pm_card_declineThenSucceed', 3)).toEqual({
      type: 'test',
      test: 'pm_card_declineThenSucceed',
      label: 'Visa ending 0341',
      declines: 3,
    });
    expect(() => testPaymentMethodFields('pm_card_declineThenSucceed', undefined)).toThrow('declines');
    expect(() => testPaymentMethodFields('pm_card_visa', 1)).toThrow('declines');
  });
});
