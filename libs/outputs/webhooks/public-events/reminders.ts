import { addSeconds, type Instant } from '#libs/kernel/core';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { BillingPeriod, SubscriptionEvent } from '#libs/contexts/subscriptions';

/** How long in advance a reminder is sent. */
const NOTICE_SECONDS = 3 * 86_400;

/**
 * A message that is sent at a certain time and not when something happens. It is only sent if its reason still exists then. `until` is the
 * time of the announced change.
 */
export type Reminder =
  | { event: 'invoice.due_soon' | 'invoice.overdue'; invoiceId: string }
  | { event: 'subscription.trial_ending' | 'invoice.upcoming'; subscriptionId: string; until: Instant };

/** A reminder with its time, by the workspace's clock. */
export interface PlannedReminder {
  reminder: Reminder;
  dueAt: Instant;
}

/** The reminders that an event causes. */
export function remindersOf(recorded: RecordedEvent): PlannedReminder[] {
  const { type, data } = recorded as Recorded<InvoiceEvent | SubscriptionEvent>;
  if (type === 'InvoiceOpened') return ofInvoice(data);
  if (type === 'SubscriptionCreated' || type === 'SubscriptionStarted' || type === 'SubscriptionResumed')
    return [...ofTrial(data), ofPeriod(data)];
  const beginsPeriod =
    type === 'SubscriptionTrialEnded' || type === 'SubscriptionRenewed' || type === 'SubscriptionAmended';
  return beginsPeriod ? [ofPeriod(data)] : [];
}

/** An invoice that is due within three days gets no `invoice.due_soon`, since its opening already announces the due date. */
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

/** A reminder of the end of a trial. For a trial of less than three days, it is sent at once. */
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
 * A reminder of the invoice at the end of a period. It is sent at once if the end is less than three days away. For a subscription that
 * starts later, the present period ends at the start.
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
