import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CreateInvoice, Invoices } from '#libs/contexts/invoicing';
import { Subscriptions } from '#libs/contexts/subscriptions';
import { deriveId, type Instant } from '#libs/kernel/core';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import { CreditUsage } from '../measure/credit-usage.js';
import { BillingTerms } from '../price/billing-terms.js';
import { priceItems } from './priced-items.js';

/** Invoices overage of prepaid credits when a period or a subscription ends without a bill of its own. */
@Injectable()
export class OverageInvoicer {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
    private readonly creditUsage: CreditUsage,
    private readonly terms: BillingTerms,
  ) {}

  /** Creates an invoice of the customer's overage at an instant. It does nothing if there is none. It can be repeated. */
  async invoice(context: CommandContext, subscriptionId: string, at: Instant): Promise<void> {
    const { workspaceId } = context;
    const { customerId, currency } = await this.subscriptions.require(workspaceId, subscriptionId);
    const invoiceId = deriveId('inv', 'overage', workspaceId, subscriptionId, at);
    if (await this.invoices.find(workspaceId, invoiceId)) return;
    const of = { invoiceId, customerId, currency, periodStart: at, periodEnd: at };
    const bills = [{ ...of, subscriptionId, kind: 'final' }] as const;
    const { items, creditsUsed } = await this.creditUsage.take(context, bills, { needsOverage: true });
    if (items.length === 0) return;
    const { taxExemption, ...taxes } = await this.terms.taxesOf(workspaceId, customerId);
    const { excess: _, ...amounts } = priceItems(items, of, { ...taxes, coupons: [] });
    await this.commands.execute(
      new CreateInvoice(follow(context, `issue ${invoiceId}`), {
        ...{ ...of, ...amounts, subscriptionId: null, kind: 'overage', billedAt: at },
        ...(creditsUsed.length === 0 ? {} : { creditsUsed }),
        ...(taxExemption === undefined ? {} : { taxExemption }),
      }),
    );
  }
}
