import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { billingRunDecider } from './billing-run.js';
import type { BillingRun, BillingRunEvent } from './events.js';

const run = { runId: 'run_1' } as unknown as BillingRun;
const finished: BillingRunEvent = { type: 'BillingRunFinished', data: run };
const { given } = decide(billingRunDecider);

describe('a billing run', () => {
  it('is recorded once, when it is over', () => {
    given().when({ type: 'FinishBillingRun', run }).then(finished);
    given(finished).when({ type: 'FinishBillingRun', run }).then();
  });
});
