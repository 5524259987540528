import { InvalidRequest } from '#libs/kernel/core';
import type { ChargeOutcome } from './payment-gateway.js';

interface TestPaymentMethod {
  /** The name of the card that people see. */
  readonly label: string;
  readonly description: string;
  /**
   * True if the method needs `declines`: attempts of an invoice up to this number are declined. Attempts with other cards on the same
   * invoice count too. Other methods refuse `declines`.
   */
  readonly takesDeclines?: true;
  /** The result of a charge. `attempt` is the number of the charge among all charges of its invoice, from 1. */
  outcomeOfAttempt(attempt: number, declines: number): ChargeOutcome;
}

const SUCCEEDED: ChargeOutcome = { status: 'succeeded' };
const failedOutcome = (code: string, message: string): ChargeOutcome => ({ status: 'failed', code, message });
const CARD_DECLINED = failedOutcome('card_declined', 'The card was declined.');

const methodWithFixedOutcome = (
  label: string,
  description: string,
  outcome: ChargeOutcome,
): TestPaymentMethod => ({
  label,
  description,
  outcomeOfAttempt: () => outcome,
});

/** The payment methods of the sandbox. The names of the test payment methods follow those of Stripe's test cards. */
export const TEST_PAYMENT_METHODS = {
  pm_card_visa: methodWithFixedOutcome('Visa ending 4242', 'succeeds', SUCCEEDED),
  pm_card_mastercard: methodWithFixedOutcome('Mastercard ending 4444', 'succeeds', SUCCEEDED),
  pm_card_amex: methodWithFixedOutcome('American Express ending 8431', 'succeeds', SUCCEEDED),
  pm_card_chargeDeclined: methodWithFixedOutcome('Visa ending 0002', 'is declined', CARD_DECLINED),
  pm_card_chargeDeclinedInsufficientFunds: methodWithFixedOutcome(
    'Visa ending 9995',
    'is declined for lack of funds',
    failedOutcome('insufficient_funds', 'The card has insufficient funds.'),
  ),
  pm_card_chargeDeclinedExpiredCard: methodWithFixedOutcome(
    'Visa ending 0069',
    'is declined as expired',
    failedOutcome('expired_card', 'The card has expired.'),
  ),
  pm_card_chargeDeclinedStolenCard: methodWithFixedOutcome(
    'Visa ending 9979',
    'is declined as stolen, so no retry can succeed',
    failedOutcome('stolen_card', 'The card was reported stolen.'),
  ),
  pm_card_declineThenSucceed: {
    label: 'Visa ending 0341',
    description: 'is declined `declines` times on an invoice, and then succeeds',
    takesDeclines: true,
    outcomeOfAttempt: (attempt, declines) => (attempt > declines ? SUCCEEDED : CARD_DECLINED),
  },
  pm_card_authenticationRequired: methodWithFixedOutcome(
    'Visa ending 3184',
    'needs the customer to confirm the payment',
    {
      status: 'requires_action',
      message: 'The bank asks the customer to confirm the payment.',
    },
  ),
} as const satisfies Record<string, TestPaymentMethod>;

export type TestPaymentMethodName = keyof typeof TEST_PAYMENT_METHODS;

export const TEST_PAYMENT_METHOD_NAMES = Object.keys(TEST_PAYMENT_METHODS) as TestPaymentMethodName[];

/**
 * The result of a charge. `attempt` is the number of the charge on its invoice, from 1. Throws RangeError if the test payment method does
 * not exist.
 */
export function outcomeOfTestCharge(
  method: { test: string; declines?: number },
  attempt: number,
): ChargeOutcome {
  return testPaymentMethod(method.test).outcomeOfAttempt(attempt, method.declines ?? 0);
}

/**
 * The stored fields of a customer's test method. Throws InvalidRequest if `declines` is missing for the method that needs it, or is given
 * for a method that does not.
 */
export function testPaymentMethodFields(
  test: TestPaymentMethodName,
  declines: number | undefined,
): { type: 'test'; test: string; label: string; declines?: number } {
  const { label, takesDeclines } = testPaymentMethod(test);
  if (takesDeclines && declines === undefined)
    throw InvalidRequest.field('declines', `must say how often ${test} is declined before it succeeds`);
  if (!takesDeclines && declines !== undefined)
    throw InvalidRequest.field('declines', 'is only for pm_card_declineThenSucceed');
  return { type: 'test', test, label, ...(declines === undefined ? {} : { declines }) };
}

function testPaymentMethod(name: string): TestPaymentMethod {
  const method = (TEST_PAYMENT_METHODS as Record<string, TestPaymentMethod>)[name];
  if (!method) throw new RangeError(`There is no test method "${name}"`);
  return method;
}
