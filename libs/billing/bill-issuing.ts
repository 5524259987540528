import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { follow, type CommandContext } from '#libs/event-store';
import { CreateInvoice, Invoices, type Invoice } from '#libs/invoicing';
import type { Bill } from '#libs/subscriptions';
import { BillPricing } from './bill-pricing.js';
import { CouponUses } from './coupon-uses.js';
import { LateUsages } from './late-usage.js';
import { newInvoice } from './new-invoice.js';

/** Makes the invoice of a bill. */
@Injectable()
export class BillIssuing {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly pricing: BillPricing,
    private readonly uses: CouponUses,
    private readonly late: LateUsages,
  ) {}

  /** The bill's invoice: the one that is there already, or a new one. */
  async issue(context: CommandContext, bill: Bill): Promise<Invoice> {
    return (await this.invoices.find(context.accountId, bill.invoiceId)) ?? this.make(context, bill);
  }

  /** Sees to it that the bill's invoice is there, in whatever state. */
  async ensure(context: CommandContext, bill: Bill): Promise<void> {
    const known = await this.invoices.find(context.accountId, bill.invoiceId, () => true);
    if (!known) await this.make(context, bill);
  }

  /**
   * Like {@link issue}, for a bill whose invoice is most likely not there yet. Whoever else does the same gets the same. The invoices of
   * the bills before it are there first: what is billed for late usage depends on what they bill. `previous`: the invoice of
   * the one right before it, null for none, if the caller has it.
   */
  async make(context: CommandContext, bill: Bill, previous?: Invoice | null): Promise<Invoice> {
    const last = previous === undefined ? await this.previousOf(context, bill) : previous;
    const price = () => this.pricing.compute(context.accountId, bill, { previous: last });
    const invoice = newInvoice(bill, await this.uses.price(context, bill, price));
    return this.commands.execute(new CreateInvoice(follow(context, `issue ${bill.invoiceId}`), invoice));
  }

  private async previousOf(context: CommandContext, bill: Bill): Promise<Invoice | null> {
    const previous = (await this.late.billsBefore(context.accountId, bill)).at(-1);
    return previous ? this.issue(context, previous) : null;
  }
}
