import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { deriveId, type Instant } from '#libs/core';
import { Customers } from '#libs/customers';
import { follow, type CommandContext } from '#libs/event-store';
import type { Invoice } from '#libs/invoicing';
import {
  ChangeSubscription,
  nextDue,
  Subscriptions,
  type Bill,
  type CancelReason,
  type RunReference,
  type Subscription,
} from '#libs/subscriptions';
import { BillIssuing } from './bill-issuing.js';
import { RefundableFees } from './refundable-fees.js';

/** What catching up came to. `passed`: due instants that this call dealt with, and nobody else; `invoices`: theirs. */
export interface CaughtUp {
  readonly subscription: Subscription;
  readonly passed: number;
  readonly invoices: Invoice[];
}

/**
 * Does what has become due for a subscription: the ends of its periods, of its trial, of a pause, and what was decided for a
 * later date. Timers, billing runs and commands all do it here. It is a decision on the subscription's stream, which one of
 * those who try at once gets; its invoice follows from it.
 */
@Injectable()
export class BillingCycles {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: Subscriptions,
    private readonly customers: Customers,
    private readonly issuing: BillIssuing,
    private readonly refundable: RefundableFees,
  ) {}

  /**
   * Does everything up to `context.now`, in order, each at its own instant; in `run`, or else in the run of the
   * timers of that instant. NotFound if there is no such subscription.
   */
  async catchUp(context: CommandContext, subscriptionId: string, run?: RunReference): Promise<CaughtUp> {
    const invoices: Invoice[] = [];
    let passed = 0;
    let subscription = await this.subscriptions.require(context.accountId, subscriptionId);
    for (let due = dueBy(context.now, subscription); due !== null; due = dueBy(context.now, subscription)) {
      const { lastBill, billCount } = subscription;
      // Whoever made the last bill may have died since: invoices are made in the order of their periods.
      const previous = await this.invoiceOf(context, lastBill, invoices.at(-1));
      const { state, changed } = await this.pass(context, subscription, due, run);
      subscription = state;
      if (!changed) continue;
      passed += 1;
      const bill = state.lastBill;
      if (bill && bill.invoiceId !== lastBill?.invoiceId)
        // Another bill can have been decided between the two.
        invoices.push(
          await this.issuing.make(context, bill, state.billCount === billCount + 1 ? previous : undefined),
        );
    }
    return { subscription, passed, invoices };
  }

  private async invoiceOf(
    context: CommandContext,
    bill: Bill | null,
    made: Invoice | undefined,
  ): Promise<Invoice | null> {
    if (bill === null) return null;
    return made?.invoiceId === bill.invoiceId ? made : this.issuing.issue(context, bill);
  }

  private async pass(
    context: CommandContext,
    subscription: Subscription,
    due: Instant,
    run: RunReference | undefined,
  ) {
    const { accountId, now } = context;
    const { subscriptionId } = subscription;
    return this.commands.execute(
      new ChangeSubscription(follow(context, `pass ${due} ${placeOf(subscription)}`), {
        type: 'PassDue',
        subscriptionId,
        due,
        at: now,
        run: run ?? { runId: deriveId('run', accountId, due), trigger: 'schedule' },
        endBecause: await this.reasonToEnd(accountId, subscription),
        refundable: mayGiveBack(subscription) ? await this.refundable.of(accountId, subscription) : [],
      }),
    );
  }

  /** A customer that was deleted at the very moment of subscribing is not subscribed for ever. */
  private async reasonToEnd(accountId: string, { customerId }: Subscription): Promise<CancelReason | null> {
    const customer = await this.customers.find(accountId, customerId);
    return customer?.deleted ? 'customer_deleted' : null;
  }
}

/** Tells what is due at one instant apart, one after the other: several changes of terms, a change and the end of a trial. */
function placeOf(subscription: Subscription): string {
  const { phase, amendments } = subscription;
  const past = amendments.filter(({ status }) => status !== 'scheduled').length;
  return [phase, nextDue(subscription)?.kind, past].join(' ');
}

/** The end of a period, which is what is due mostly, gives nothing back. */
function mayGiveBack(subscription: Subscription): boolean {
  const kind = nextDue(subscription)?.kind;
  return kind === 'pause' || kind === 'amendment';
}

/** The instant of what is due next, if it has come. */
function dueBy(now: Instant, subscription: Subscription): Instant | null {
  const next = nextDue(subscription);
  return next !== null && next.at <= now ? next.at : null;
}
