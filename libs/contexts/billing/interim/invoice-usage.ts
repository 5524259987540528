import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Conflict, Decimal, InvalidRequest, StateConflict } from '#libs/kernel/core';
import { idFor, withStreamCache, type CommandContext } from '#libs/kernel/event-store';
import { DraftOpener, Invoices, type Invoice } from '#libs/contexts/invoicing';
import {
  ChangeSubscription,
  requireNotEnded,
  usageBill,
  type Bill,
  type Subscription,
} from '#libs/contexts/subscriptions';
import { BillInvoicer } from '../invoice/bill-invoicer.js';
import { CreditUsageInvoicer } from '../measure/credit-usage-invoicer.js';
import { BillPricer } from '../price/bill-pricer.js';
import { DueChangeApplier } from '../advance/due-change-applier.js';

/**
 * Issues an invoice for the usage of the present period until now, and opens it if its settings open it at once. The invoice at the end of the period does not charge this usage again.
 * An invoice for usage until now contains only prices whose usage can be billed in parts, overage of prepaid credits, and late usage. Other
 * prices and fees are billed at the end of the period. Throws StateConflict (`nothing_to_invoice`) if the sum of the lines is not above zero. Throws StateConflict
 * (`metric_sql_failed`) while usage of an earlier bill cannot be measured.
 */
export class CreateUsageInvoice extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly subscriptionId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateUsageInvoice)
export class CreateUsageInvoiceHandler implements ICommandHandler<CreateUsageInvoice> {
  constructor(
    private readonly commands: CommandBus,
    private readonly cycles: DueChangeApplier,
    private readonly pricer: BillPricer,
    private readonly invoicer: BillInvoicer,
    private readonly invoices: Invoices,
    private readonly creditUsage: CreditUsageInvoicer,
    private readonly opener: DraftOpener,
  ) {}

  execute(command: CreateUsageInvoice): Promise<Invoice> {
    return withStreamCache(async () =>
      this.opener.openForAnswer(command.context, await this.invoiceUsage(command)),
    );
  }

  private async invoiceUsage({ context, subscriptionId }: CreateUsageInvoice): Promise<Invoice> {
    const invoiceId = idFor(context, 'inv');
    const before = await this.invoices.find(context.workspaceId, invoiceId);
    if (before) return before;
    const { subscription } = await this.cycles.applyDueChanges(context, subscriptionId);
    const decided = latestBill(subscription, invoiceId);
    if (decided) return this.invoicer.getOrCreate(context, decided);
    // The invoices of earlier bills are created first. If one of them cannot be created, nothing has been recorded for this invoice yet.
    if (subscription.lastBill) await this.invoicer.ensureCreated(context, subscription.lastBill);
    const bill = await this.measuredBill(context, subscription, invoiceId);
    const { state } = await this.commands.execute(
      new ChangeSubscription(context, { type: 'BillUsage', subscriptionId, bill }),
    );
    const recorded = latestBill(state, invoiceId);
    // This happens only if an earlier attempt of this request crashed after its decision, and the subscription was billed again after that.
    if (!recorded) throw new Conflict('invoice_in_progress', 'The invoice is being made; try again');
    return this.invoicer.getOrCreate(context, recorded);
  }

  private async measuredBill(
    context: CommandContext,
    subscription: Subscription,
    invoiceId: string,
  ): Promise<Bill> {
    requireNotEnded(subscription);
    if (subscription.phase !== 'active') throw nothingToInvoice();
    const { workspaceId, now } = context;
    const prices = subscription.items.map(({ price }) => price);
    const divisible = await Promise.all(
      prices.map((price) => this.pricer.canBillInParts(workspaceId, price)),
    );
    const priceIds = prices.filter((_, i) => divisible[i]).map(({ priceId }) => priceId);
    const bill = usageBill(subscription, now, invoiceId, priceIds);
    const { items } = await this.creditUsage.findUninvoicedUsage(workspaceId, [bill]);
    const { subtotal } = await this.pricer.compute(workspaceId, [bill], { items });
    if (new Decimal(subtotal).lte(0)) throw nothingToInvoice();
    return bill;
  }
}

function nothingToInvoice(): InvalidRequest {
  return new StateConflict(
    'nothing_to_invoice',
    'There is no usage to invoice yet; fees, and usage that can only be billed as a whole, wait for the end of the period',
  );
}

function latestBill({ lastBill }: Subscription, invoiceId: string): Bill | undefined {
  return lastBill?.invoiceId === invoiceId ? lastBill : undefined;
}
