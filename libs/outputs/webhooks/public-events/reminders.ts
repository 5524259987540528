import { addSeconds, type Instant } from '#libs/kernel/core';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { BillingPeriod, SubscriptionEvent } from '#libs/contexts/subscriptions';

/** How long before something comes it is told of. */
export const NOTICE_SECONDS = 3 * 86_400;

/** What is told at a time, instead of when something happens: if it is still so then. `until`: when what is told of comes. */
export type Reminder =
  | { event: 'invoice.due_soon' | 'invoice.overdue'; invoiceId: string }
  | { event: 'subscription.trial_ending' | 'invoice.upcoming'; subscriptionId: string; until: Instant };

/** A reminder with its time, by the workspace's clock. */
export interface PlannedReminder {
  reminder: Reminder;
  dueAt: Instant;
}

/** What is to be told later because of an event. */
export function remindersOf(recorded: RecordedEvent): PlannedReminder[] {
  const { type, data } = recorded as Recorded<InvoiceEvent | SubscriptionEvent>;
  if (type === 'InvoiceOpened') return ofInvoice(data);
  if (type === 'SubscriptionCreated' || type === 'SubscriptionStarted' || type === 'SubscriptionResumed')
    return [...ofTrial(data), ofPeriod(data)];
  const beginsPeriod =
    type === 'SubscriptionTrialEnded' || type === 'SubscriptionRenewed' || type === 'SubscriptionAmended';
  return beginsPeriod ? [ofPeriod(data)] : [];
}

/** One that is due within three days says so itself. */
function ofInvoice({
  invoiceId,
  at,
  dueDate,
}: Pick<
  Extract<InvoiceEvent, { type: 'InvoiceOpened' }>['data'],
  'invoiceId' | 'at' | 'dueDate'
>): PlannedReminder[] {
  const overdue: PlannedReminder = { reminder: { event: 'invoice.overdue', invoiceId }, dueAt: dueDate };
  const noticeAt = addSeconds(dueDate, -NOTICE_SECONDS);
  if (noticeAt <= at) return [overdue];
  return [{ reminder: { event: 'invoice.due_soon', invoiceId }, dueAt: noticeAt }, overdue];
}

/** A trial of less than three days is told of at once. */
function ofTrial({
  subscriptionId,
  phase,
  period: { end },
}: {
  subscriptionId: string;
  phase: string;
  period: BillingPeriod;
}): PlannedReminder[] {
  if (phase !== 'trialing') return [];
  const reminder: Reminder = { event: 'subscription.trial_ending', subscriptionId, until: end };
  return [{ reminder, dueAt: addSeconds(end, -NOTICE_SECONDS) }];
}

/**
 * What the end of a period brings is told of at once if that is less than three days away. The period of one that starts later ends when it
 * starts.
 */
function ofPeriod({
  subscriptionId,
  period: { end },
}: {
  subscriptionId: string;
  period: BillingPeriod;
}): PlannedReminder {
  const reminder: Reminder = { event: 'invoice.upcoming', subscriptionId, until: end };
  return { reminder, dueAt: addSeconds(end, -NOTICE_SECONDS) };
}
