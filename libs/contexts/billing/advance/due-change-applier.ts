import { Injectable } from '@nestjs/common';
import { InvalidRequest, type Instant } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Invoice } from '#libs/contexts/invoicing';
import {
  nextDueChange,
  Subscriptions,
  type Bill,
  type RunReference,
  type Subscription,
} from '#libs/contexts/subscriptions';
import { LicenseCounter } from '../decide/license-counter.js';
import { BillInvoicer } from '../invoice/bill-invoicer.js';
import { Consolidations } from '../consolidation/consolidations.js';
import type { Consolidation } from '../consolidation/events.js';
import { SubscriptionAdvancer } from '../decide/subscription-advancer.js';

/**
 * The result of {@link DueChangeApplier.applyDueChanges}. `advancedSubscriptionIds` are the subscriptions whose due changes this call
 * applied. `invoices` are the invoices that this call created.
 */
export interface AppliedDueChanges {
  /** The subscription after the changes. */
  readonly subscription: Subscription;
  readonly advancedSubscriptionIds: readonly string[];
  readonly invoices: Invoice[];
}

/** The arguments of a call to {@link DueChangeApplier.applyDueChanges}, with its results so far. */
interface CatchUpProgress {
  readonly context: CommandContext;
  readonly run: RunReference | undefined;
  readonly passed: Set<string>;
  readonly invoices: Invoice[];
}

/**
 * Applies the due changes of a subscription: the ends of its periods, its trial and its pause, and scheduled changes. Timers, billing runs
 * and commands all use this class. Each due change is decided on the subscription's stream, and leads to an invoice if it bills something.
 * If several callers apply the same due change, only one succeeds.
 */
@Injectable()
export class DueChangeApplier {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly advancer: SubscriptionAdvancer,
    private readonly invoicer: BillInvoicer,
    private readonly consolidations: Consolidations,
    private readonly licenses: LicenseCounter,
  ) {}

  /**
   * Applies every change that is due up to `context.now`, in order, each at its due instant. The stored events have the id of the billing
   * run `run`. Without `run`, each event has the id of the scheduled billing run at the instant of the change. Due changes of subscriptions
   * that share an invoice with this subscription are applied too. Throws NotFound if the subscription does not exist.
   */
  async applyDueChanges(
    context: CommandContext,
    subscriptionId: string,
    run?: RunReference,
  ): Promise<AppliedDueChanges> {
    const doing: CatchUpProgress = { context, run, passed: new Set(), invoices: [] };
    const subscription = await this.advance(doing, subscriptionId, (due) => due <= context.now);
    return { subscription, advancedSubscriptionIds: [...doing.passed], invoices: doing.invoices };
  }

  /** Applies due changes in order. Stops before a due change for whose instant `isToDo` returns false. */
  private async advance(
    doing: CatchUpProgress,
    subscriptionId: string,
    isToDo: (due: Instant) => boolean,
  ): Promise<Subscription> {
    const { context, passed, invoices } = doing;
    const found = await this.subscriptions.require(context.workspaceId, subscriptionId);
    let subscription = await this.countLicenses(doing, found);
    for (
      let next = nextDueChange(subscription);
      next && isToDo(next.at);
      next = nextDueChange(subscription)
    ) {
      const { lastBill, billCount } = subscription;
      // The process that decided the last bill may have crashed before it created the invoice. Invoices are created in the order of their
      // periods.
      const previous = await this.invoiceOf(context, lastBill, invoices.at(-1));
      const { state, changed } = await this.applyDueChange(doing, subscription, next.at);
      if (changed) {
        passed.add(subscriptionId);
        const bill = state.lastBill;
        if (bill && bill.invoiceId !== lastBill?.invoiceId)
          // If another bill was decided in between, `previous` is the wrong invoice.
          invoices.push(
            await this.invoicer.create(
              context,
              bill,
              state.billCount === billCount + 1 ? previous : undefined,
            ),
          );
      }
      subscription = await this.countLicenses(doing, state);
    }
    return subscription;
  }

  /**
   * Counts the changes of licenses up to the next due change. Licenses are counted before a due change, because that change may end the
   * period.
   */
  private async countLicenses(
    { context, invoices }: CatchUpProgress,
    subscription: Subscription,
  ): Promise<Subscription> {
    const changes = await this.licenses.uncountedChanges(context.workspaceId, subscription);
    const last = changes.at(-1)?.number ?? 0;
    let state = subscription;
    while ((state.licenses?.changes ?? 0) < last) {
      const { lastBill } = state;
      const counted = await this.licenses.countChanges(context, state, changes);
      if (!counted.changed) return counted.state;
      state = counted.state;
      const bill = state.lastBill;
      if (bill && bill.invoiceId !== lastBill?.invoiceId)
        invoices.push(await this.invoicer.create(context, bill));
    }
    return state;
  }

  private async invoiceOf(
    context: CommandContext,
    bill: Bill | null,
    made: Invoice | undefined,
  ): Promise<Invoice | null> {
    if (bill === null) return null;
    return made?.invoiceId === bill.invoiceId ? made : this.invoicer.getOrCreate(context, bill);
  }

  private async applyDueChange(
    doing: CatchUpProgress,
    subscription: Subscription,
    due: Instant,
  ): Promise<{ state: Subscription; changed: boolean }> {
    const { context, run } = doing;
    const { subscriptionId } = subscription;
    const consolidation = await this.consolidationFor(doing, subscription);
    if (!consolidation?.subscriptionIds.includes(subscriptionId))
      return this.advancer.applyDueChange(context, subscription, due, run);
    const passed = await this.invoicer.advanceConsolidatedSubscriptions(context, consolidation, run);
    for (const id of passed) doing.passed.add(id);
    const state = await this.subscriptions.require(context.workspaceId, subscriptionId);
    return { state, changed: passed.includes(subscriptionId) };
  }

  /**
   * The subscriptions that share an invoice with this subscription at its next due instant. Undefined if the subscription is invoiced
   * alone. If it was already decided which subscriptions share the invoice, they still share it. Otherwise, the changes of the customer's
   * other subscriptions that are due before that instant are applied first. Then the customer's subscriptions that are due at that instant
   * share the invoice. A subscription whose usage cannot be measured is invoiced alone later.
   */
  private async consolidationFor(
    doing: CatchUpProgress,
    subscription: Subscription,
  ): Promise<Consolidation | undefined> {
    const { workspaceId } = doing.context;
    const { subscriptionId } = subscription;
    const due = await this.consolidations.nextConsolidatedInvoice(workspaceId, subscription);
    if (!due) return undefined;
    const decided = await this.consolidations.findDecision(workspaceId, due.invoiceId);
    if (decided) return decided;
    const subscriptionIds: string[] = [];
    for (const id of await this.consolidations.candidateSubscriptionIds(workspaceId, subscription)) {
      const other = id === subscriptionId ? subscription : await this.advanceOther(doing, id, due.billedAt);
      const dueThen = other && (await this.consolidations.nextConsolidatedInvoice(workspaceId, other));
      if (dueThen?.invoiceId === due.invoiceId) subscriptionIds.push(id);
    }
    return this.consolidations.decide(doing.context, { ...due, subscriptionIds });
  }

  /**
   * Applies the due changes of another subscription before an instant, but not the changes at that instant. Also creates the invoice of
   * its last bill, if the invoice is missing. Undefined if the usage of the other subscription cannot be measured.
   */
  private async advanceOther(
    doing: CatchUpProgress,
    subscriptionId: string,
    until: Instant,
  ): Promise<Subscription | undefined> {
    try {
      const other = await this.advance(doing, subscriptionId, (due) => due < until);
      if (other.lastBill) await this.invoicer.ensureCreated(doing.context, other.lastBill);
      return other;
    } catch (error) {
      if (error instanceof InvalidRequest && error.code === 'metric_sql_failed') return undefined;
      throw error;
    }
  }
}
