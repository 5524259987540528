import { defineDecider } from '#libs/kernel/domain';
import { billingRunEvents, type BillingRun, type BillingRunEvent } from './events.js';

export interface FinishBillingRun {
  type: 'FinishBillingRun';
  run: BillingRun;
}

/** A run is recorded once, when it is over: what it did meanwhile stands on the subscriptions' own streams. */
export const billingRunDecider = defineDecider<BillingRun, FinishBillingRun, BillingRunEvent>({
  category: 'billingRun',
  events: billingRunEvents,
  decide({ run }, recorded) {
    const { finishedAt: at, ...details } = run;
    return recorded ? [] : [{ type: 'BillingRunFinished', data: { at, ...details } }];
  },
  evolve: (_, { data: { at: finishedAt, ...details } }) => ({ ...details, finishedAt }),
});
