import { addSeconds, type Instant } from '#libs/kernel/core';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { BillingPeriod, SubscriptionEvent } from '#libs/contexts/subscriptions';

/** The number of seconds before a date at which its reminder is sent. */
const NOTICE_SECONDS = 3 * 86_400;

/**
 * A message that is sent at a certain time and not when something happens. A reminder is sent only if its reason still exists at that time.
 * `until` is the time of the change that the reminder announces.
 */
export type Reminder =
  | { event: 'invoice.due_soon' | 'invoice.overdue'; invoiceId: string }
  | { event: 'subscription.trial_ending' | 'invoice.upcoming'; subscriptionId: string; until: Instant };

/** A reminder with the time at which it is sent, by the workspace's clock. */
export interface PlannedReminder {
  reminder: Reminder;
  dueAt: Instant;
}

/** The reminders that are planned because of an event. */
export function remindersOf(recorded: RecordedEvent): PlannedReminder[] {
  const { type, data } = recorded as Recorded<InvoiceEvent | SubscriptionEvent>;
  if (type === 'InvoiceOpened') return ofInvoice(data);
  if (type === 'SubscriptionCreated' || type === 'SubscriptionStarted' || type === 'SubscriptionResumed')
    return [...ofTrial(data), ofPeriod(data)];
  const beginsPeriod =
    type === 'SubscriptionTrialEnded' || type === 'SubscriptionRenewed' || type === 'SubscriptionAmended';
  return beginsPeriod ? [ofPeriod(data)] : [];
}

/**
 * An invoice that is due within three days gets no `invoice.due_soon`, since the message about its opening already announces the due date.
 */
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

/** A reminder of the end of a trial. If a trial is shorter than three days, its reminder is sent at once. */
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
 * A reminder of the invoice at the end of a billing period. The reminder of an invoice is sent at once if the period ends in less than
 * three days. Before a subscription with a future start begins, its current period is the time until the start. The reminder is then sent
 * before the start.
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
