import { Injectable } from '@nestjs/common';
import { presentInvoicePreview, UpcomingInvoicePreviewer } from '#libs/contexts/billing';
import type { Instant } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider, presentInvoice } from '#libs/contexts/invoicing';
import { presentSubscription, subscriptionDecider } from '#libs/contexts/subscriptions';
import type { Reminder } from './reminders.js';

/** Makes the `data` of a reminder, if the reason for the reminder still exists. */
@Injectable()
export class ReminderDataMaker {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly upcoming: UpcomingInvoicePreviewer,
  ) {}

  /** The key that identifies the upcoming invoice of a reminder; undefined if no invoice is expected. */
  async upcomingInvoiceKeyOf(
    workspaceId: string,
    { subscriptionId, until }: Extract<Reminder, { until: Instant }>,
  ): Promise<string | undefined> {
    return this.upcoming.invoiceKeyAtPeriodEnd(workspaceId, subscriptionId, until);
  }

  /** The resource as the API shows it now, as JSON text with exact numbers; undefined if the reminder is no longer needed. */
  async makeData(workspaceId: string, reminder: Reminder): Promise<string | undefined> {
    const shown = await this.shown(workspaceId, reminder);
    return shown && JSON.stringify(shown);
  }

  private async shown(workspaceId: string, reminder: Reminder): Promise<object | undefined> {
    switch (reminder.event) {
      case 'invoice.upcoming': {
        const invoice = await this.upcoming.previewAtPeriodEnd(
          workspaceId,
          reminder.subscriptionId,
          reminder.until,
        );
        return invoice && invoice.lines.length > 0 ? presentInvoicePreview(invoice) : undefined;
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
