import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { deriveId } from '#libs/core';
import { Customers } from '#libs/customers';
import { follow, type CommandContext } from '#libs/event-store';
import type { Invoice } from '#libs/invoicing';
import {
  ChangeSubscription,
  isDue,
  Subscriptions,
  type CancelReason,
  type RunReference,
  type Subscription,
} from '#libs/subscriptions';
import { BillIssuing } from './bill-issuing.js';

/** What catching up came to. `passed`: boundaries that this call passed, and nobody else; `invoices`: theirs. */
export interface CaughtUp {
  readonly subscription: Subscription;
  readonly passed: number;
  readonly invoices: Invoice[];
}

/**
 * Passes the boundaries of a subscription that have come: timers, billing runs and commands all do it here. Passing is
 * a decision on the subscription's stream, which one of those who try at once gets; its invoice follows from it.
 */
@Injectable()
export class BillingCycles {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: Subscriptions,
    private readonly customers: Customers,
    private readonly issuing: BillIssuing,
  ) {}

  /**
   * Bills every boundary up to `context.now`, in order, each at its own instant; in `run`, or else in the run of the
   * timers of that instant. NotFound if there is no such subscription.
   */
  async catchUp(context: CommandContext, subscriptionId: string, run?: RunReference): Promise<CaughtUp> {
    const invoices: Invoice[] = [];
    let passed = 0;
    let subscription = await this.subscriptions.require(context.accountId, subscriptionId);
    while (isDue(subscription, context.now)) {
      const { lastBill } = subscription;
      // Whoever passed the last boundary may have died since: invoices are made in the order of their periods.
      if (lastBill && invoices.at(-1)?.invoiceId !== lastBill.invoiceId)
        await this.issuing.issue(context, lastBill);
      const { state, changed } = await this.pass(context, subscription, run);
      subscription = state;
      if (!changed) continue;
      passed += 1;
      const bill = state.lastBill;
      if (bill && bill.invoiceId !== lastBill?.invoiceId)
        invoices.push(await this.issuing.make(context, bill));
    }
    return { subscription, passed, invoices };
  }

  private async pass(context: CommandContext, subscription: Subscription, run: RunReference | undefined) {
    const { accountId, now } = context;
    const { subscriptionId, period } = subscription;
    return this.commands.execute(
      new ChangeSubscription(follow(context, `pass ${period.end}`), {
        type: 'RenewSubscription',
        subscriptionId,
        index: period.index,
        at: now,
        run: run ?? { runId: deriveId('run', accountId, period.end), trigger: 'schedule' },
        endBecause: await this.reasonToEnd(accountId, subscription),
      }),
    );
  }

  /** A customer that was deleted at the very moment of subscribing is not subscribed for ever. */
  private async reasonToEnd(accountId: string, { customerId }: Subscription): Promise<CancelReason | null> {
    const customer = await this.customers.find(accountId, customerId);
    return customer?.deleted ? 'customer_deleted' : null;
  }
}
