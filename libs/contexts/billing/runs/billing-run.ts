import { defineDecider } from '#libs/kernel/domain';
import { billingRunEvents, type BillingRun, type BillingRunEvent } from './events.js';

/** Records the result of a billing run. */
export interface FinishBillingRun {
  type: 'FinishBillingRun';
  run: BillingRun;
}

/**
 * A billing run is recorded only once, when it is finished. The billing itself is recorded by events on the streams of the subscriptions.
 */
export const billingRunDecider = defineDecider<BillingRun, FinishBillingRun, BillingRunEvent>({
  category: 'billingRun',
  events: billingRunEvents,
  decide({ run }, recorded) {
    const { finishedAt: at, ...details } = run;
    return recorded ? [] : [{ type: 'BillingRunFinished', data: { at, ...details } }];
  },
  evolve: (_, { data: { at: finishedAt, ...details } }) => ({ ...details, finishedAt }),
});
