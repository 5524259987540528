import { describe, it } from '@jest/globals';
import type { BillingRunEvent } from '#libs/contexts/billing';
import type { Bill, SubscriptionEvent } from '#libs/contexts/subscriptions';
import { project, recordedEvent } from '#libs/kernel/testing';
import { invoiceEvents } from '../../test/support/sample-invoice.js';
import { billedInvoicesProjection } from './billed-invoices.projection.js';
import { billingRunsProjection } from './billing-runs.projection.js';

const start = '2026-01-31T00:00:00.000Z';
const end = '2026-02-28T00:00:00.000Z';
const later = '2026-02-28T00:00:01.000Z';
const customer = { customerId: 'cust_1', currency: 'USD' };

describe('billing runs', () => {
  const row = {
    workspaceId: 'acc_1',
    startedAt: end,
    finishedAt: later,
    subscriptions: 2,
    failed: 0,
    failures: [],
  };

  it('of timers contain everything that was billed for one instant', () => {
    project(billingRunsProjection)
      .given(
        renewed('sub_1', 'run_1', 'schedule', end, 4n),
        renewed('sub_2', 'run_1', 'schedule', later, 5n),
        canceledByHand(),
      )
      .then({ run_1: { ...row, runId: 'run_1', trigger: 'schedule', createdPosition: '4' } });
  });

  it('that were requested are running until they finish', () => {
    const first = renewed('sub_1', 'run_2', 'manual', end, 7n);
    const before = { ...row, runId: 'run_2', trigger: 'manual', createdPosition: '7' } as const;
    project(billingRunsProjection)
      .given(first)
      .then({ run_2: { ...before, finishedAt: null, subscriptions: 1 } });
    const failures = [{ subscriptionId: 'sub_3', code: 'clock', error: 'No' }];
    project(billingRunsProjection)
      .given(first, finished({ runId: 'run_2', subscriptions: 2, failed: 1, failures }, 9n))
      .then({ run_2: { ...before, failed: 1, failures } });
  });

  it('exist even if nothing was due', () => {
    project(billingRunsProjection)
      .given(finished({ runId: 'run_3' }, 3n))
      .then({ run_3: { ...row, runId: 'run_3', trigger: 'manual', subscriptions: 0, createdPosition: '3' } });
  });
});

describe('billed invoices', () => {
  const bill = billFor('sub_1', 'inv_1');
  const decided = renewed('sub_1', 'run_1', 'schedule', end, 4n, bill);
  const row = {
    invoiceId: 'inv_1',
    runId: 'run_1',
    subscriptionId: 'sub_1',
    customerId: 'cust_1',
    currency: 'USD',
    position: '4',
  };

  it('have a total when they are created', () => {
    project(billedInvoicesProjection)
      .given(decided)
      .then({ inv_1: { ...row, total: null } });
    project(billedInvoicesProjection)
      .given(decided, made('inv_1'))
      .then({ inv_1: { ...row, total: '156.10' } });
  });

  it('have no subscription id if they bill several subscriptions', () => {
    project(billedInvoicesProjection)
      .given(
        decided,
        renewed('sub_2', 'run_1', 'schedule', end, 5n, billFor('sub_2', 'inv_1')),
        made('inv_1', null),
      )
      .then({ inv_1: { ...row, subscriptionId: null, position: '5', total: '156.10' } });
  });

  it('are only the invoices of a run', () => {
    project(billedInvoicesProjection)
      .given(canceledByHand(), made('inv_9'), renewed('sub_1', 'run_1', 'schedule', end, 4n))
      .then({});
  });
});

function billFor(subscriptionId: string, invoiceId: string): Bill {
  const period = { billedAt: end, periodStart: start, periodEnd: end };
  return { invoiceId, kind: 'cycle', subscriptionId, ...customer, ...period, charges: [] };
}

function renewed(
  subscriptionId: string,
  runId: string,
  trigger: 'manual' | 'schedule',
  at: string,
  position: bigint,
  bill: Bill | null = null,
) {
  const event: SubscriptionEvent = {
    type: 'SubscriptionRenewed',
    data: {
      subscriptionId,
      customerId: 'cust_1',
      period: { index: 1, start: end, end: later },
      bill,
      run: { runId, trigger },
    },
  };
  return recordedEvent(`subscription-acc_1.${subscriptionId}`, event, { occurredAt: at, position });
}

function finished(run: Partial<BillingRunEvent['data']>, position: bigint) {
  const event: BillingRunEvent = {
    type: 'BillingRunFinished',
    data: {
      runId: 'run_2',
      customerId: null,
      subscriptionId: null,
      startedAt: end,
      at: later,
      subscriptions: 0,
      invoices: 0,
      failed: 0,
      failures: [],
      ...run,
    },
  };
  return recordedEvent(`billingRun-acc_1.${run.runId}`, event, { position });
}

/** A cancellation that a user requested. Its bill belongs to no run. */
function canceledByHand() {
  const event: SubscriptionEvent = {
    type: 'SubscriptionCanceled',
    data: {
      subscriptionId: 'sub_9',
      customerId: 'cust_1',
      at: end,
      reason: 'requested',
      bill: billFor('sub_9', 'inv_9'),
      run: null,
    },
  };
  return recordedEvent('subscription-acc_1.sub_9', event);
}

/** An invoice of 156.10 USD was made. */
function made(invoiceId: string, subscriptionId: string | null = 'sub_1') {
  const { created } = invoiceEvents({ invoiceId, ...customer, total: '156.10', at: later });
  return recordedEvent(`invoice-acc_1.${invoiceId}`, created({ subscriptionId }));
}
