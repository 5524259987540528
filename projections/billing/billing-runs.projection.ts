import type { BillingRunEvent } from '#libs/billing';
import type { Recorded } from '#libs/event-store';
import { foldProjection } from '#libs/projection';
import type { SubscriptionEvent } from '#libs/subscriptions';
import { BillingRunRow } from './billing-run-row.js';

/** The events of a boundary that was passed. */
export type PassedEvent = Extract<
  SubscriptionEvent,
  { type: 'SubscriptionRenewed' | 'SubscriptionCanceled' }
>;

/** Every billing run, by the boundaries that were passed in it: `GET /v1/billing/history`. */
export const billingRunsProjection = foldProjection<BillingRunRow, PassedEvent | BillingRunEvent>({
  name: 'billing-runs',
  version: 1,
  entity: BillingRunRow,
  eventTypes: ['SubscriptionRenewed', 'SubscriptionCanceled', 'BillingRunFinished'],
  key: (event) => (event.type === 'BillingRunFinished' ? event.data.runId : event.data.run?.runId),
  evolve: (row, event) => (event.type === 'BillingRunFinished' ? finished(row, event) : passed(row, event)),
});

function passed(row: BillingRunRow | undefined, event: Recorded<PassedEvent>): BillingRunRow {
  const { accountId, occurredAt } = event.metadata;
  const { runId, trigger } = event.data.run!;
  return {
    ...(row ?? {
      runId,
      accountId,
      trigger,
      startedAt: occurredAt,
      finishedAt: null,
      failed: 0,
      failures: [],
      createdPosition: String(event.position),
    }),
    // What timers do at an instant has no last step; it is over when its newest boundary is.
    finishedAt: trigger === 'schedule' ? occurredAt : (row?.finishedAt ?? null),
    subscriptions: (row?.subscriptions ?? 0) + 1,
  };
}

function finished(row: BillingRunRow | undefined, event: Recorded<BillingRunEvent>): BillingRunRow {
  const { runId, startedAt, finishedAt, subscriptions, failed, failures } = event.data;
  return {
    runId,
    accountId: event.metadata.accountId,
    trigger: 'manual',
    startedAt,
    finishedAt,
    subscriptions,
    failed,
    failures,
    createdPosition: row?.createdPosition ?? String(event.position),
  };
}
