import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { follow, type CommandContext } from '#libs/event-store';
import { CreateInvoice, Invoices, type Invoice } from '#libs/invoicing';
import type { Bill } from '#libs/subscriptions';
import { BillPricing } from './bill-pricing.js';
import { CouponUses } from './coupon-uses.js';
import { newInvoice } from './new-invoice.js';

/** Makes the invoice of a bill. */
@Injectable()
export class BillIssuing {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly pricing: BillPricing,
    private readonly uses: CouponUses,
  ) {}

  /** The bill's invoice: the one that is there already, or a new one. */
  async issue(context: CommandContext, bill: Bill): Promise<Invoice> {
    return (await this.invoices.find(context.accountId, bill.invoiceId)) ?? this.make(context, bill);
  }

  /** Like {@link issue}, for a bill whose invoice is most likely not there yet. Whoever else does the same gets the same. */
  async make(context: CommandContext, bill: Bill): Promise<Invoice> {
    const priced = await this.uses.price(context, bill, () => this.pricing.compute(context.accountId, bill));
    const invoice = newInvoice(bill, priced);
    return this.commands.execute(new CreateInvoice(follow(context, `issue ${bill.invoiceId}`), invoice));
  }
}
