import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { laterOf } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { CreateInvoice, Invoices, type Invoice } from '#libs/contexts/invoicing';
import { nextDueChange, Subscriptions, type Bill, type RunReference } from '#libs/contexts/subscriptions';
import { BillPricer } from '../price/bill-pricer.js';
import { Consolidations } from '../consolidation/consolidations.js';
import type { Consolidation } from '../consolidation/events.js';
import { CreditUsageInvoicer } from '../measure/credit-usage-invoicer.js';
import { InvoiceIssuer } from './invoice-issuer.js';
import { DecidedBills } from '../decide/decided-bills.js';
import { SubscriptionAdvancer } from '../decide/subscription-advancer.js';

/** Creates the invoice of a bill. */
@Injectable()
export class BillInvoicer {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly pricer: BillPricer,
    private readonly issuer: InvoiceIssuer,
    private readonly subscriptions: Subscriptions,
    private readonly advancer: SubscriptionAdvancer,
    private readonly consolidations: Consolidations,
    private readonly bills: DecidedBills,
    private readonly creditUsage: CreditUsageInvoicer,
  ) {}

  /** Returns the bill's invoice, and creates it if it does not exist. */
  async getOrCreate(context: CommandContext, bill: Bill): Promise<Invoice> {
    return (await this.invoices.find(context.workspaceId, bill.invoiceId)) ?? this.create(context, bill);
  }

  /**
   * Creates the bill's invoice if it does not exist. If the invoice is in this process's memory, the invoice's stream is not read, because
   * only the existence of the invoice matters.
   */
  async ensureCreated(context: CommandContext, bill: Bill): Promise<void> {
    const known = await this.invoices.find(context.workspaceId, bill.invoiceId, () => true);
    if (!known) await this.create(context, bill);
  }

  /**
   * Like {@link getOrCreate}, but for a bill whose invoice most likely does not exist yet. If several callers create the invoice at the
   * same time, they get the same invoice. The invoices of earlier bills are created first, because late usage depends on these invoices.
   * `previous` is the invoice of the bill right before this bill. `previous` is null if there is no earlier bill, and undefined if the
   * caller does not know the invoice.
   */
  async create(context: CommandContext, bill: Bill, previous?: Invoice | null): Promise<Invoice> {
    const bills = await this.billsOnInvoiceOf(context, bill);
    const before: (Invoice | null)[] = [];
    for (const one of bills) {
      const isKnown = one.subscriptionId === bill.subscriptionId && previous !== undefined;
      before.push(isKnown ? previous : await this.previousOf(context, one));
    }
    const taken = await this.creditUsage.moveToInvoice(context, bills);
    const { items, creditsUsed } = taken;
    const price = () => this.pricer.compute(context.workspaceId, bills, { previous: before, items });
    const shown = creditsUsed.length === 0 ? {} : { creditsUsed };
    const stored = await this.issuer.recordGiveBacksAndIssue(context, { bills, price }, (invoice) =>
      this.commands.execute(
        new CreateInvoice(followUpContext(context, `issue ${bill.invoiceId}`), { ...invoice, ...shown }),
      ),
    );
    await this.creditUsage.returnUsageMissingFromInvoice(context, taken, stored);
    return stored;
  }

  /**
   * Applies the due changes of each subscription of a consolidated invoice, up to the instant `billedAt` of the invoice. After the call,
   * each subscription has decided its bill for the invoice, or bills nothing. Returns the ids of the subscriptions whose due changes this
   * call applied.
   */
  async advanceConsolidatedSubscriptions(
    context: CommandContext,
    consolidation: Consolidation,
    run?: RunReference,
  ): Promise<string[]> {
    const { invoiceId, billedAt, subscriptionIds } = consolidation;
    // Another process, whose clock is slightly ahead, may already have reached the instant.
    const then = { ...context, now: laterOf(context.now, billedAt) };
    const passed = new Set<string>();
    for (const subscriptionId of subscriptionIds) {
      let subscription = await this.subscriptions.require(context.workspaceId, subscriptionId);
      for (;;) {
        const { lastBill } = subscription;
        const next = nextDueChange(subscription);
        if (next === null || next.at > billedAt || lastBill?.invoiceId === invoiceId) break;
        if (lastBill) await this.getOrCreate(context, lastBill);
        const { state, changed } = await this.advancer.applyDueChange(
          then,
          subscription,
          next.at,
          run,
          consolidation,
        );
        if (changed) passed.add(subscriptionId);
        subscription = state;
      }
    }
    return [...passed];
  }

  /** All bills that share the invoice of this bill, in their order on the invoice. */
  private async billsOnInvoiceOf(context: CommandContext, bill: Bill): Promise<Bill[]> {
    const { workspaceId } = context;
    const { invoiceId } = bill;
    if (!bill.consolidated) return [bill];
    const consolidation = await this.consolidations.findDecision(workspaceId, invoiceId);
    if (!consolidation) throw new Error(`The subscriptions of invoice ${invoiceId} are not decided`);
    await this.advanceConsolidatedSubscriptions(context, consolidation);
    const bills = await Promise.all(
      consolidation.subscriptionIds.map((id) => this.bills.find(workspaceId, id, invoiceId)),
    );
    return bills.filter((one) => one !== undefined);
  }

  private async previousOf(context: CommandContext, bill: Bill): Promise<Invoice | null> {
    const previous = (await this.bills.billsBefore(context.workspaceId, bill)).at(-1);
    return previous ? this.getOrCreate(context, previous) : null;
  }
}
