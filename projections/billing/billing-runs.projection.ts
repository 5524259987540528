import type { BillingRunEvent } from '#libs/contexts/billing';
import type { Recorded } from '#libs/kernel/domain';
import { foldProjection } from '#libs/kernel/projection';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { BillingRunRow } from './billing-run-row.js';

/** The events of subscription changes that become due at an instant, such as the end of a period. */
export const EVENTS_OF_DUE_CHANGES = [
  'SubscriptionStarted',
  'SubscriptionTrialEnded',
  'SubscriptionRenewed',
  'SubscriptionPaused',
  'SubscriptionResumed',
  'SubscriptionAmended',
  'SubscriptionCanceled',
] as const;

export type EventOfDueChange = Extract<SubscriptionEvent, { type: (typeof EVENTS_OF_DUE_CHANGES)[number] }>;

/**
 * All billing runs, for `GET /v1/billing/history`. Billing runs are derived from the events of requested runs, and from the events of
 * subscription changes that became due.
 */
export const billingRunsProjection = foldProjection<BillingRunRow, EventOfDueChange | BillingRunEvent>({
  name: 'billing-runs',
  version: 3,
  entity: BillingRunRow,
  eventTypes: [...EVENTS_OF_DUE_CHANGES, 'BillingRunFinished'],
  keyOf: (event) => (event.type === 'BillingRunFinished' ? event.data.runId : event.data.run?.runId),
  evolve: (row, event) => (event.type === 'BillingRunFinished' ? finished(row, event) : passed(row, event)),
});

function passed(row: BillingRunRow | undefined, event: Recorded<EventOfDueChange>): BillingRunRow {
  const { workspaceId, occurredAt } = event.metadata;
  const { runId, trigger } = event.data.run!;
  return {
    ...(row ?? {
      runId,
      workspaceId,
      trigger,
      startedAt: occurredAt,
      finishedAt: null,
      failed: 0,
      failures: [],
      createdPosition: String(event.position),
    }),
    // No event marks the end of a scheduled run. So its end is the time of its newest event so far.
    finishedAt: trigger === 'schedule' ? occurredAt : (row?.finishedAt ?? null),
    subscriptions: (row?.subscriptions ?? 0) + 1,
  };
}

function finished(row: BillingRunRow | undefined, event: Recorded<BillingRunEvent>): BillingRunRow {
  const { runId, startedAt, at: finishedAt, subscriptions, failed, failures } = event.data;
  return {
    runId,
    workspaceId: event.metadata.workspaceId,
    trigger: 'manual',
    startedAt,
    finishedAt,
    subscriptions,
    failed,
    failures,
    createdPosition: row?.createdPosition ?? String(event.position),
  };
}
