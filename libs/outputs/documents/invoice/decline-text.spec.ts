import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '#libs/kernel/core';
import { wordingOf } from '../languages/index.js';
import { declineText } from './decline-text.js';

describe('the reason of a decline', () => {
  it.each(LANGUAGES)('is said in %s, whatever words the payment processor has', (language) => {
    const words = wordingOf(language);
    const { declines } = words.payment;
    for (const [code, text] of [
      ['card_declined', declines.card_declined],
      ['generic_decline', declines.card_declined],
      ['stolen_card', declines.card_declined],
      ['insufficient_funds', declines.insufficient_funds],
      ['expired_card', declines.expired_card],
      ['payment_intent_authentication_failure', declines.not_confirmed],
    ] as const)
      expect([code, declineText(code, words)]).toEqual([code, text]);
  });

  it('is not said if the code is not about the card', () => {
    for (const code of [null, '', 'resource_missing', 'amount_not_chargeable', 'toString'])
      expect(declineText(code, wordingOf('en'))).toBeNull();
  });
});
