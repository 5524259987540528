import { describe, expect, it } from '@jest/globals';
import type { RetryPlan } from '#libs/contexts/invoicing';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import { overdueState } from './overdue.js';

const at = '2026-03-18T09:00:00.000Z';
const { created, opened, started, declined: refused } = sampleEvents;

/** An open invoice whose last charge failed, with this plan. */
function declined(plan: RetryPlan) {
  const invoice = invoiceOf(created(), opened(), started(), refused());
  const retries = { made: 4, plan, afterAttemptId: 'pay_1', gaveUp: false };
  return { ...invoice, dueDate: '2026-03-01T09:00:00.000Z', retries };
}
const end = (whenExhausted: 'leave_open' | 'mark_uncollectible', givesUpAt: string): RetryPlan => ({
  ended: 'exhausted',
  givesUpAt,
  whenExhausted,
  subscription: 'none',
});

describe('an invoice whose retries are over', () => {
  it('is not overdue if it is about to be written off', () => {
    expect(overdueState(declined(end('mark_uncollectible', at)), at)).toEqual({ reasonNotOverdue: 'early' });
  });

  it('is overdue if it stays open, or while it waits for another card', () => {
    expect(overdueState(declined(end('leave_open', at)), at)).toHaveProperty('overdueSince');
    const waiting = end('mark_uncollectible', '2026-03-19T09:00:00.000Z');
    expect(overdueState(declined(waiting), at)).toHaveProperty('overdueSince');
  });

  it('is not overdue once it is paid', () => {
    const invoice = { ...declined(end('mark_uncollectible', at)), status: 'paid' as const };
    expect(overdueState(invoice, at)).toEqual({ reasonNotOverdue: 'paid' });
  });
});
