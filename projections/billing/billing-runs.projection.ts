import type { BillingRunEvent } from '#libs/contexts/billing';
import type { Recorded } from '#libs/kernel/domain';
import { foldProjection } from '#libs/kernel/projection';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { BillingRunRow } from './billing-run-row.js';

/** What can become due for a subscription by itself. */
export const PASSED_EVENTS = [
  'SubscriptionStarted',
  'SubscriptionTrialEnded',
  'SubscriptionRenewed',
  'SubscriptionPaused',
  'SubscriptionResumed',
  'SubscriptionAmended',
  'SubscriptionCanceled',
] as const;

export type PassedEvent = Extract<SubscriptionEvent, { type: (typeof PASSED_EVENTS)[number] }>;

/** Every billing run, by what became due and was done in it: `GET /v1/billing/history`. */
export const billingRunsProjection = foldProjection<BillingRunRow, PassedEvent | BillingRunEvent>({
  name: 'billing-runs',
  version: 3,
  entity: BillingRunRow,
  eventTypes: [...PASSED_EVENTS, 'BillingRunFinished'],
  key: (event) => (event.type === 'BillingRunFinished' ? event.data.runId : event.data.run?.runId),
  evolve: (row, event) => (event.type === 'BillingRunFinished' ? finished(row, event) : passed(row, event)),
});

function passed(row: BillingRunRow | undefined, event: Recorded<PassedEvent>): BillingRunRow {
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
    // What timers do at an instant has no last step; it is over when the newest of it is.
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
