import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CreateInvoice, Invoices } from '#libs/contexts/invoicing';
import { Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import { deriveId, type Instant } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import type { WalletKey } from '#libs/contexts/credits';
import {
  CreditUsageInvoicer,
  type BillWithUsage,
  type InvoicedCreditUsage,
  type OverageOfWallet,
} from '../measure/credit-usage-invoicer.js';
import { BillingTermsFinder } from '../price/billing-terms-finder.js';
import { priceItems } from './priced-items.js';

/**
 * Makes a separate invoice for the overage of prepaid credits. This is needed if a period or a subscription ends, or a pause begins, and
 * no other invoice is made for it.
 */
@Injectable()
export class OverageInvoicer {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
    private readonly creditUsage: CreditUsageInvoicer,
    private readonly terms: BillingTermsFinder,
  ) {}

  /** Creates an invoice of the customer's overage, dated `at`. Does nothing if there is no overage. The call is safe to repeat. */
  async createInvoice(context: CommandContext, subscriptionId: string, at: Instant): Promise<void> {
    const { workspaceId } = context;
    const { customerId, currency } = await this.subscriptions.require(workspaceId, subscriptionId);
    const bill = billOf(workspaceId, { customerId, currency, subscriptionId }, at);
    if (await this.invoices.find(workspaceId, bill.invoiceId)) return;
    const usage = await this.creditUsage.moveToInvoice(context, [bill], { needsOverage: true });
    if (usage.items.length === 0) return;
    const { excess: _, ...invoice } = await this.compose(workspaceId, bill, usage);
    const create = new CreateInvoice(followUpContext(context, `issue ${bill.invoiceId}`), invoice);
    await this.creditUsage.returnUsageMissingFromInvoice(context, usage, await this.commands.execute(create));
  }

  /**
   * Returns a preview of the overage invoice. It has the overage until now, and is dated `at`. Undefined if there is no overage. Nothing is
   * stored.
   */
  async preview(
    workspaceId: string,
    subscription: Pick<Subscription, 'customerId' | 'currency' | 'subscriptionId'>,
    at: Instant,
  ) {
    const bill = billOf(workspaceId, subscription, at);
    const usage = await this.creditUsage.findUninvoicedUsage(workspaceId, [bill], { needsOverage: true });
    return usage.items.length > 0 ? this.compose(workspaceId, bill, usage) : undefined;
  }

  /**
   * Returns an invoice of only the overage of a wallet, dated `at`. The present price and taxes are used. Nothing is stored.
   */
  async computeUnbilledInvoice(
    workspaceId: string,
    { customerId, ...wallet }: OverageOfWallet & WalletKey,
    at: Instant,
  ) {
    const invoiceId = unbilledOverageInvoiceId(workspaceId, { customerId, ...wallet }, at);
    const period = { periodStart: at, periodEnd: at };
    const { items, currency } = await this.creditUsage.overageItemsOfWallet(workspaceId, wallet, period);
    return this.compose(
      workspaceId,
      { invoiceId, customerId, currency, ...period },
      { items, creditsUsed: [] },
    );
  }

  private async compose(
    workspaceId: string,
    {
      invoiceId,
      customerId,
      currency,
      periodStart,
      periodEnd,
    }: Omit<BillWithUsage, 'kind' | 'subscriptionId'>,
    { items, creditsUsed }: Omit<InvoicedCreditUsage, 'overage'>,
  ) {
    const { taxExemption, ...taxes } = await this.terms.findCustomerTaxRates(workspaceId, customerId);
    return {
      invoiceId,
      customerId,
      currency,
      periodStart,
      periodEnd,
      ...priceItems(items, { invoiceId, currency }, { ...taxes, coupons: [] }),
      ...({ subscriptionId: null, kind: 'overage', billedAt: periodEnd } as const),
      ...(creditsUsed.length === 0 ? {} : { creditsUsed }),
      ...(taxExemption === undefined ? {} : { taxExemption }),
    };
  }
}

/**
 * The id of the invoice that is computed for overage that is not billed yet. The computed invoice is never stored, but the ids of its lines
 * derive from this id.
 */
export function unbilledOverageInvoiceId(
  workspaceId: string,
  { customerId, creditType }: WalletKey,
  at: Instant,
): string {
  return deriveId('inv', 'unbilled overage', workspaceId, customerId, creditType, at);
}

/** Returns a bill at an instant that contains only overage. */
function billOf(
  workspaceId: string,
  { customerId, currency, subscriptionId }: Pick<Subscription, 'customerId' | 'currency' | 'subscriptionId'>,
  at: Instant,
): BillWithUsage {
  const invoiceId = deriveId('inv', 'overage', workspaceId, subscriptionId, at);
  return {
    invoiceId,
    kind: 'final',
    customerId,
    subscriptionId,
    currency,
    periodStart: at,
    periodEnd: at,
  };
}
