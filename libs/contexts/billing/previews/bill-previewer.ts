import { Injectable } from '@nestjs/common';
import { Balances } from '#libs/contexts/balances';
import { Decimal, moneyString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import type { CreditsUsed, InvoiceDiscount, NewInvoice } from '#libs/contexts/invoicing';
import { appliedBalance, type AppliedTax, type InvoiceLine } from '#libs/rating';
import type { Bill, Subscription } from '#libs/contexts/subscriptions';
import { CreditUsageInvoicer } from '../measure/credit-usage-invoicer.js';
import { BillPricer } from '../price/bill-pricer.js';
import { composeInvoice } from '../invoice/new-invoice.js';

/** A preview of an invoice. */
export interface InvoicePreview {
  /** The id of the subscription for which the preview was requested. The invoice can also contain other subscriptions of the customer. */
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly lines: readonly InvoiceLine[];
  /** The prepaid credits that usage has used until now. They change no amount. */
  readonly creditsUsed: readonly CreditsUsed[];
  /** The sum of the lines. */
  readonly subtotal: DecimalString;
  readonly discounts: readonly InvoiceDiscount[];
  readonly taxes: readonly AppliedTax[];
  /** The sum after discounts and taxes. Zero if the give-backs exceed the charges. */
  readonly total: DecimalString;
  /** The amount by which the give-backs exceed the charges. This amount is credited to the customer's balance. */
  readonly balanceCredited: DecimalString;
  /** The part of the total that the customer's present balance would pay. */
  readonly balanceApplied: DecimalString;
  /** The part of the total that the customer's balance does not pay. */
  readonly amountDue: DecimalString;
  /** The start of the period that the invoice bills. The invoice at the end of a period has the period that ends. */
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  /** The instant at which the invoice is due to be created, such as the end of the period. */
  readonly billedAt: Instant;
}

/** Previews invoices with the code that also computes real invoices. Nothing is stored. */
@Injectable()
export class BillPreviewer {
  constructor(
    private readonly pricer: BillPricer,
    private readonly balances: Balances,
    private readonly creditUsage: CreditUsageInvoicer,
  ) {}

  /**
   * Previews the invoice of a bill, with the usage until now. `subscriptions` are those of the bills, as they are after the bills. `bills`
   * are all bills of the invoice, in their order on the invoice. `bills` are needed only if the invoice has several bills. `billsBefore` are
   * the planned bills before this bill.
   */
  async previewBill(
    workspaceId: string,
    bill: Bill,
    subscriptions: readonly Subscription[],
    { bills = [bill], billsBefore = [] }: { bills?: readonly Bill[]; billsBefore?: readonly Bill[] } = {},
  ): Promise<InvoicePreview> {
    const { subscriptionId } = bill;
    const planned = new Map(subscriptions.map((subscription) => [subscription.subscriptionId, subscription]));
    const { items, creditsUsed } = await this.creditUsage.findUninvoicedUsage(workspaceId, bills);
    const invoice = composeInvoice(
      bills,
      await this.pricer.compute(workspaceId, bills, { planned, billsBefore, items }),
    );
    return this.previewWithBalance(workspaceId, { ...invoice, creditsUsed, subscriptionId });
  }

  /** Adds to the preview the part of the total that the customer's present balance pays. */
  async previewWithBalance(
    workspaceId: string,
    invoice: Pick<InvoicePreview, 'subscriptionId' | 'customerId' | 'currency' | 'lines' | 'total'> &
      Pick<InvoicePreview, 'periodStart' | 'periodEnd' | 'billedAt'> &
      Pick<NewInvoice, 'discounts' | 'taxes' | 'excess' | 'creditsUsed'>,
  ): Promise<InvoicePreview> {
    const { subscriptionId, customerId, currency, lines, total, periodStart, periodEnd, billedAt } = invoice;
    const { discounts = [], taxes = [], excess = '0', creditsUsed = [] } = invoice;
    const money = (amount: Decimal) => moneyString(amount, currency);
    const applied = appliedBalance(await this.balances.availableAmount(workspaceId, invoice), total);
    return {
      subscriptionId,
      customerId,
      currency,
      lines,
      creditsUsed,
      subtotal: money(sumOf(lines.map(({ amount }) => amount))),
      discounts,
      taxes,
      total,
      balanceCredited: money(new Decimal(excess)),
      balanceApplied: money(applied),
      amountDue: money(new Decimal(total).minus(applied)),
      periodStart,
      periodEnd,
      billedAt,
    };
  }
}
