import { addSeconds, type Instant } from '#libs/core';
import { aggregateId, type AggregateStore, type Recorded, type RecordedEvent } from '#libs/event-store';
import { invoiceDecider, presentInvoice, type InvoiceEvent } from '#libs/invoicing';
import {
  presentSubscription,
  subscriptionDecider,
  type BillingPeriod,
  type SubscriptionEvent,
} from '#libs/subscriptions';

/** How long before something comes it is told of. */
export const NOTICE_SECONDS = 3 * 86_400;

/** What is told at a time, instead of when something happens: if it is still so then. `until`: when what is told of comes. */
export type Reminder =
  | { event: 'invoice.due_soon' | 'invoice.overdue'; invoiceId: string }
  | { event: 'subscription.trial_ending'; subscriptionId: string; until: Instant };

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
    return ofTrial(data);
  return [];
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

/** The resource as the API shows it now, if what the reminder is of is still to come; undefined if there is nothing to tell. */
export async function stillSo(
  aggregates: Pick<AggregateStore, 'load'>,
  accountId: string,
  reminder: Reminder,
): Promise<object | undefined> {
  if (reminder.event === 'subscription.trial_ending') {
    const key = aggregateId(accountId, reminder.subscriptionId);
    const subscription = await aggregates.load(subscriptionDecider, key);
    const isSo = subscription?.phase === 'trialing' && subscription.trialEnd === reminder.until;
    return isSo ? presentSubscription(subscription) : undefined;
  }
  const invoice = await aggregates.load(invoiceDecider, aggregateId(accountId, reminder.invoiceId));
  return invoice?.status === 'open' ? presentInvoice(invoice) : undefined;
}
