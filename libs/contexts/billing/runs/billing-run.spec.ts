import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { billingRunDecider } from './billing-run.js';
import type { BillingRun, BillingRunEvent } from './events.js';

const at = '2026-02-01T00:00:00.000Z';
const details = { runId: 'run_1', startedAt: at } as unknown as BillingRunEvent['data'];
const run: BillingRun = { ...details, finishedAt: at };
const finished: BillingRunEvent = { type: 'BillingRunFinished', data: { ...details, at } };
const { given } = decide(billingRunDecider);

describe('a billing run', () => {
  it('is recorded once, after its end', () => {
    given().when({ type: 'FinishBillingRun', run }).then(finished);
    given(finished).when({ type: 'FinishBillingRun', run }).then();
  });
});
