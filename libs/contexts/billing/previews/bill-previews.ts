import { Injectable } from '@nestjs/common';
import { Balances } from '#libs/contexts/balances';
import { Decimal, moneyString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import type { InvoiceDiscount, NewInvoice } from '#libs/contexts/invoicing';
import { appliedCredit, type AppliedTax, type InvoiceLine } from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { BillPricer } from '../price/bill-pricer.js';
import { newInvoice } from '../invoice/new-invoice.js';

/** An invoice that is about to be opened, or would be. */
export interface InvoicePreview {
  /** Whose it was asked for: other subscriptions of the customer may be on it. */
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly lines: readonly InvoiceLine[];
  /** The sum of the lines. */
  readonly subtotal: DecimalString;
  readonly discounts: readonly InvoiceDiscount[];
  readonly taxes: readonly AppliedTax[];
  readonly total: DecimalString;
  /** What it gives back beyond what it charges. */
  readonly balanceCredited: DecimalString;
  /** What the customer's balance, as it is now, pays of it. */
  readonly balanceApplied: DecimalString;
  readonly amountDue: DecimalString;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly billedAt: Instant;
}

/** Previews: computed by what computes the invoices, and kept nowhere. */
@Injectable()
export class BillPreviews {
  constructor(
    private readonly pricer: BillPricer,
    private readonly balances: Balances,
  ) {}

  /**
   * The invoice that a bill leads to, by the usage so far; `planId`: the plan that its subscription is on by then. `bills`: all that
   * are on it, in their order, if they are several. `billsBefore`: what would be billed until then.
   */
  async of(
    workspaceId: string,
    bill: Bill,
    planId: string,
    { bills = [bill], billsBefore = [] }: { bills?: readonly Bill[]; billsBefore?: readonly Bill[] } = {},
  ): Promise<InvoicePreview> {
    const { subscriptionId } = bill;
    const planIds = new Map([[subscriptionId, planId]]);
    const invoice = newInvoice(
      bills,
      await this.pricer.compute(workspaceId, bills, { planIds, billsBefore }),
    );
    return this.withBalance(workspaceId, { ...invoice, subscriptionId });
  }

  /** An invoice with what the customer's balance has for it now. */
  async withBalance(
    workspaceId: string,
    invoice: Pick<InvoicePreview, 'subscriptionId' | 'customerId' | 'currency' | 'lines' | 'total'> &
      Pick<InvoicePreview, 'periodStart' | 'periodEnd' | 'billedAt'> &
      Pick<NewInvoice, 'discounts' | 'taxes' | 'excess'>,
  ): Promise<InvoicePreview> {
    const { subscriptionId, customerId, currency, lines, total, periodStart, periodEnd, billedAt } = invoice;
    const { discounts = [], taxes = [], excess = '0' } = invoice;
    const money = (amount: Decimal) => moneyString(amount, currency);
    const applied = appliedCredit(await this.balances.available(workspaceId, invoice), total);
    return {
      ...{ subscriptionId, customerId, currency, lines },
      subtotal: money(sumOf(lines.map(({ amount }) => amount))),
      ...{ discounts, taxes, total },
      balanceCredited: money(new Decimal(excess)),
      balanceApplied: money(applied),
      amountDue: money(new Decimal(total).minus(applied)),
      ...{ periodStart, periodEnd, billedAt },
    };
  }
}
