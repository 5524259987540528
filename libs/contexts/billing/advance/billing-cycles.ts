import { Injectable } from '@nestjs/common';
import { InvalidRequest, type Instant } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Invoice } from '#libs/contexts/invoicing';
import {
  nextDue,
  Subscriptions,
  type Bill,
  type RunReference,
  type Subscription,
} from '#libs/contexts/subscriptions';
import { BillInvoicer } from '../invoice/bill-invoicer.js';
import { Consolidations } from '../consolidation/consolidations.js';
import type { Consolidation } from '../consolidation/events.js';
import { SubscriptionAdvancer } from '../decide/subscription-advancer.js';

/**
 * What catching up came to. `passed`: the subscriptions for which this call did something that was due, and nobody else; `invoices`:
 * those that it made.
 */
export interface CaughtUp {
  readonly subscription: Subscription;
  readonly passed: readonly string[];
  readonly invoices: Invoice[];
}

/** What a call does besides, as it goes on. */
interface Doing {
  readonly context: CommandContext;
  readonly run: RunReference | undefined;
  readonly passed: Set<string>;
  readonly invoices: Invoice[];
}

/**
 * Does what has become due for a subscription: the ends of its periods, its trial and its pause, and changes that were scheduled. Timers,
 * billing runs and commands all do it here. It is a decision on the subscription's stream, which one of those who try at once gets; its
 * invoice follows from it.
 */
@Injectable()
export class BillingCycles {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly advancer: SubscriptionAdvancer,
    private readonly invoicer: BillInvoicer,
    private readonly consolidations: Consolidations,
  ) {}

  /**
   * Does everything up to `context.now`, in order, each at its own instant; in `run`, or else in the run of the
   * timers of that instant. What is billed on one invoice with other subscriptions of the customer is done for them too. NotFound
   * if there is no such subscription.
   */
  async catchUp(context: CommandContext, subscriptionId: string, run?: RunReference): Promise<CaughtUp> {
    const doing: Doing = { context, run, passed: new Set(), invoices: [] };
    const subscription = await this.advance(doing, subscriptionId, (due) => due <= context.now);
    return { subscription, passed: [...doing.passed], invoices: doing.invoices };
  }

  /** Does what is due as long as `isToDo` says so. */
  private async advance(
    doing: Doing,
    subscriptionId: string,
    isToDo: (due: Instant) => boolean,
  ): Promise<Subscription> {
    const { context, passed, invoices } = doing;
    let subscription = await this.subscriptions.require(context.workspaceId, subscriptionId);
    for (let next = nextDue(subscription); next && isToDo(next.at); next = nextDue(subscription)) {
      const { lastBill, billCount } = subscription;
      // Whoever made the last bill may have died since: invoices are made in the order of their periods.
      const previous = await this.invoiceOf(context, lastBill, invoices.at(-1));
      const { state, changed } = await this.pass(doing, subscription, next.at);
      subscription = state;
      if (!changed) continue;
      passed.add(subscriptionId);
      const bill = state.lastBill;
      if (bill && bill.invoiceId !== lastBill?.invoiceId)
        // Another bill can have been decided between the two.
        invoices.push(
          await this.invoicer.make(context, bill, state.billCount === billCount + 1 ? previous : undefined),
        );
    }
    return subscription;
  }

  private async invoiceOf(
    context: CommandContext,
    bill: Bill | null,
    made: Invoice | undefined,
  ): Promise<Invoice | null> {
    if (bill === null) return null;
    return made?.invoiceId === bill.invoiceId ? made : this.invoicer.issue(context, bill);
  }

  private async pass(
    doing: Doing,
    subscription: Subscription,
    due: Instant,
  ): Promise<{ state: Subscription; changed: boolean }> {
    const { context, run } = doing;
    const { subscriptionId } = subscription;
    const consolidation = await this.consolidationFor(doing, subscription);
    if (!consolidation?.subscriptionIds.includes(subscriptionId))
      return this.advancer.advance(context, subscription, due, run);
    const passed = await this.invoicer.settle(context, consolidation, run);
    for (const id of passed) doing.passed.add(id);
    const state = await this.subscriptions.require(context.workspaceId, subscriptionId);
    return { state, changed: passed.includes(subscriptionId) };
  }

  /**
   * Who is billed together with a subscription at its next due instant, if it can be: as it was decided, or is now. Subscriptions that are
   * behind are advanced to that instant first, which shows whether the same is due for them. One that cannot be advanced is billed alone
   * later.
   */
  private async consolidationFor(
    doing: Doing,
    subscription: Subscription,
  ): Promise<Consolidation | undefined> {
    const { workspaceId } = doing.context;
    const { subscriptionId } = subscription;
    const due = await this.consolidations.dueFor(workspaceId, subscription);
    if (!due) return undefined;
    const decided = await this.consolidations.find(workspaceId, due.invoiceId);
    if (decided) return decided;
    const subscriptionIds: string[] = [];
    for (const id of await this.consolidations.candidates(workspaceId, subscription)) {
      const other = id === subscriptionId ? subscription : await this.broughtUp(doing, id, due.billedAt);
      const dueThen = other && (await this.consolidations.dueFor(workspaceId, other));
      if (dueThen?.invoiceId === due.invoiceId) subscriptionIds.push(id);
    }
    return this.consolidations.decide(doing.context, { ...due, subscriptionIds });
  }

  /** Another subscription with all done that was due before an instant; undefined if its usage cannot be measured. */
  private async broughtUp(
    doing: Doing,
    subscriptionId: string,
    until: Instant,
  ): Promise<Subscription | undefined> {
    try {
      return await this.advance(doing, subscriptionId, (due) => due < until);
    } catch (error) {
      if (error instanceof InvalidRequest && error.code === 'metric_sql_failed') return undefined;
      throw error;
    }
  }
}
