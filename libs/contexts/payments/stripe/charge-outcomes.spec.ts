import { describe, expect, it } from '@jest/globals';
import { isFinalDecline } from '#libs/rating';
import { outcomeOfDecline, outcomeOfIntent, type IntentResult } from './charge-outcomes.js';

const intent = (status: string, error: object | null = null) =>
  outcomeOfIntent({ id: 'pi_1', status, last_payment_error: error } as IntentResult);

describe('the result of a PaymentIntent', () => {
  it('is a success only when the money was taken', () => {
    expect(intent('succeeded')).toEqual({ status: 'succeeded' });
    for (const status of ['processing', 'requires_capture', 'requires_confirmation', 'of tomorrow'])
      expect(() => intent(status)).toThrow('still processing');
  });

  it('waits for the customer when the bank asks for it', () => {
    expect(intent('requires_action')).toMatchObject({ status: 'requires_action' });
    for (const error of [
      { code: 'authentication_required' },
      { code: 'card_declined', decline_code: 'authentication_required' },
    ])
      expect(intent('requires_payment_method', error)).toMatchObject({ status: 'requires_action' });
  });

  it('has the decline code of the bank, which says whether a retry can help', () => {
    const declined = {
      code: 'card_declined',
      decline_code: 'stolen_card',
      message: 'Your card was declined.',
    };
    expect(intent('requires_payment_method', declined)).toEqual({
      status: 'failed',
      code: 'stolen_card',
      message: 'Your card was declined.',
    });
    expect(isFinalDecline('stolen_card')).toBe(true);
    expect(outcomeOfDecline({ code: 'expired_card' })).toMatchObject({
      status: 'failed',
      code: 'expired_card',
    });
    expect(
      intent('requires_payment_method', { code: 'payment_intent_authentication_failure' }),
    ).toMatchObject({ status: 'failed', code: 'payment_intent_authentication_failure' });
    expect(intent('canceled')).toMatchObject({ status: 'failed', code: 'canceled' });
  });
});
