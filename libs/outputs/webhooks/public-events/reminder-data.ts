import { Injectable } from '@nestjs/common';
import { presentUpcoming, UpcomingInvoices } from '#libs/contexts/billing';
import type { Instant } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider, presentInvoice } from '#libs/contexts/invoicing';
import { presentSubscription, subscriptionDecider } from '#libs/contexts/subscriptions';
import type { Reminder } from './reminders.js';

/** Makes what is sent as `data` of a reminder, if what it is of is still to come. */
@Injectable()
export class ReminderData {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly upcoming: UpcomingInvoices,
  ) {}

  /** What tells the invoice that a reminder is of from others; undefined if none is to come. */
  async invoiceKeyOf(
    workspaceId: string,
    { subscriptionId, until }: Extract<Reminder, { until: Instant }>,
  ): Promise<string | undefined> {
    return this.upcoming.keyAtPeriodEnd(workspaceId, subscriptionId, until);
  }

  /** The resource as the API shows it now, as JSON text with exact numbers; undefined if there is nothing to tell. */
  async of(workspaceId: string, reminder: Reminder): Promise<string | undefined> {
    const shown = await this.shown(workspaceId, reminder);
    return shown && JSON.stringify(shown);
  }

  private async shown(workspaceId: string, reminder: Reminder): Promise<object | undefined> {
    switch (reminder.event) {
      case 'invoice.upcoming': {
        const invoice = await this.upcoming.atPeriodEnd(workspaceId, reminder.subscriptionId, reminder.until);
        return invoice && invoice.lines.length > 0 ? presentUpcoming(invoice) : undefined;
      }
      case 'subscription.trial_ending': {
        const key = aggregateId(workspaceId, reminder.subscriptionId);
        const subscription = await this.aggregates.load(subscriptionDecider, key);
        const isSo = subscription?.phase === 'trialing' && subscription.trialEnd === reminder.until;
        return isSo ? presentSubscription(subscription) : undefined;
      }
      case 'invoice.due_soon':
      case 'invoice.overdue': {
        const invoice = await this.aggregates.load(
          invoiceDecider,
          aggregateId(workspaceId, reminder.invoiceId),
        );
        return invoice?.status === 'open' ? presentInvoice(invoice) : undefined;
      }
    }
  }
}
