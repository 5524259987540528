import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Coupons } from '#libs/coupons';
import { follow, type CommandContext } from '#libs/event-store';
import { CreateInvoice, Invoices, type Invoice } from '#libs/invoicing';
import type { Bill } from '#libs/subscriptions';
import { BillPricing, type PricedBill } from './bill-pricing.js';
import { newInvoice } from './new-invoice.js';

/** Makes the invoice of a bill. */
@Injectable()
export class BillIssuing {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly pricing: BillPricing,
    private readonly coupons: Coupons,
  ) {}

  /** The bill's invoice: the one that is there already, or a new one. */
  async issue(context: CommandContext, bill: Bill): Promise<Invoice> {
    return (await this.invoices.find(context.accountId, bill.invoiceId)) ?? this.make(context, bill);
  }

  /** Like {@link issue}, for a bill whose invoice is most likely not there yet. Whoever else does the same gets the same. */
  async make(context: CommandContext, bill: Bill): Promise<Invoice> {
    const invoice = newInvoice(bill, await this.priceWithCoupons(context, bill));
    return this.commands.execute(new CreateInvoice(follow(context, `issue ${bill.invoiceId}`), invoice));
  }

  /** The bill with coupons that no other invoice can use any more: where one was faster, without its coupons. */
  private async priceWithCoupons(context: CommandContext, bill: Bill): Promise<PricedBill> {
    const { customerId, invoiceId } = bill;
    for (let round = 0; ; round++) {
      const priced = await this.pricing.compute(context.accountId, bill);
      const used = priced.discounts.map(({ couponId }) => couponId);
      const using = follow(context, `use coupons on ${invoiceId} ${round}`);
      if (await this.coupons.use(using, customerId, invoiceId, used)) return priced;
    }
  }
}
