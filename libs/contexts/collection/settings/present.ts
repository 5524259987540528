import type { PaymentRetrySettings } from './events.js';

/** Converts a workspace's retry settings to their form in the API. */
export function presentPaymentRetrySettings(settings: PaymentRetrySettings) {
  return {
    enabled: settings.enabled,
    intervalsDays: [...settings.intervalsDays],
    localHour: settings.localHour,
    whenExhausted: settings.whenExhausted,
    subscription: settings.subscription,
  };
}
