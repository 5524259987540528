import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { paymentRetrySettingsDecider } from './payment-retry-settings.js';

const { given } = decide(paymentRetrySettingsDecider);
const workspaceId = 'acc_1';
const type = 'ChangePaymentRetrySettings';

describe('changing the retry settings', () => {
  it('records what differs from the defaults, and only that', () => {
    given()
      .when({ type, workspaceId, changes: { enabled: true, intervalsDays: [2, 4], localHour: null } })
      .then({ type: 'PaymentRetrySettingsChanged', data: { workspaceId, intervalsDays: [2, 4] } });
  });

  it('records nothing if nothing differs from the present settings', () => {
    given({ type: 'PaymentRetrySettingsChanged', data: { workspaceId, whenExhausted: 'mark_uncollectible' } })
      .when({ type, workspaceId, changes: { whenExhausted: 'mark_uncollectible', subscription: 'none' } })
      .then();
  });
});
