import { isDeepStrictEqual } from 'node:util';
import { defineDecider } from '#libs/kernel/domain';
import {
  paymentRetrySettingsEvents,
  type PaymentRetrySettings,
  type PaymentRetrySettingsEvent,
} from './events.js';

/** The default settings of a workspace: four retries within 16 days. Afterwards the invoice stays open. */
export const initialState: PaymentRetrySettings = {
  enabled: true,
  intervalsDays: [1, 3, 5, 7],
  localHour: null,
  whenExhausted: 'leave_open',
  subscription: 'none',
};

export interface PaymentRetrySettingsCommand {
  type: 'ChangePaymentRetrySettings';
  workspaceId: string;
  changes: Partial<PaymentRetrySettings>;
}

/** Decides changes of a workspace's retry settings. The stream of the settings is `paymentRetrySettings-acc_…`. */
export const paymentRetrySettingsDecider = defineDecider<
  PaymentRetrySettings,
  PaymentRetrySettingsCommand,
  PaymentRetrySettingsEvent
>({
  category: 'paymentRetrySettings',
  events: paymentRetrySettingsEvents,
  decide({ workspaceId, changes }, settings = initialState) {
    const changed: Partial<PaymentRetrySettings> = Object.fromEntries(
      Object.entries(changes).filter(
        ([name, value]) =>
          value !== undefined && !isDeepStrictEqual(settings[name as keyof PaymentRetrySettings], value),
      ),
    );
    if (Object.keys(changed).length === 0) return [];
    return [{ type: 'PaymentRetrySettingsChanged', data: { workspaceId, ...changed } }];
  },
  evolve(settings = initialState, { data: { workspaceId: _, ...changes } }) {
    return { ...settings, ...changes };
  },
});
