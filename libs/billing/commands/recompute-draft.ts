import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId, StreamReader } from '#libs/event-store';
import { Invoices, RecomputeDraft, variableAmounts, type Invoice } from '#libs/invoicing';
import { decidedBill, subscriptionDecider, Subscriptions, type Bill } from '#libs/subscriptions';
import { BillPricing } from '../bill-pricing.js';
import { BillingTerms } from '../billing-terms.js';
import { CouponUses } from '../coupon-uses.js';
import { newInvoice } from '../new-invoice.js';

/** Computes drafts again: by the terms that they were made by, with the usage by now. */
@CommandHandler(RecomputeDraft)
export class RecomputeDraftHandler implements ICommandHandler<RecomputeDraft> {
  constructor(
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
    private readonly streams: StreamReader,
    private readonly terms: BillingTerms,
    private readonly pricing: BillPricing,
    private readonly uses: CouponUses,
  ) {}

  async execute({ context, invoiceId }: RecomputeDraft): Promise<Invoice> {
    const { accountId, now: at } = context;
    const invoice = await this.invoices.require(accountId, invoiceId);
    const { status, subscriptionId, readings, kind } = invoice;
    if (status !== 'draft' || subscriptionId === null || !readings) return invoice;
    // Later invoices leave out what stands on it; what comes until it is opened is on the next of them.
    if (kind === 'progressive') return invoice;
    const bill = await this.billOf(accountId, subscriptionId, invoiceId);
    const price = async () =>
      this.pricing.compute(accountId, bill, { terms: await this.terms.ofDraft(accountId, bill, invoice) });
    const computed = newInvoice(bill, await this.uses.price(context, bill, price));
    const { lines, total } = computed;
    const amounts = { lines, total, ...variableAmounts(computed) };
    const command = { type: 'RecomputeDraft', at, invoiceId, amounts } as const;
    return (await this.invoices.execute(context, command)).state;
  }

  /** The bill that the invoice was made of: the subscription's newest one, or an older one of its stream. */
  private async billOf(accountId: string, subscriptionId: string, invoiceId: string): Promise<Bill> {
    const { lastBill } = await this.subscriptions.require(accountId, subscriptionId);
    if (lastBill?.invoiceId === invoiceId) return lastBill;
    const stream = `${subscriptionDecider.category}-${aggregateId(accountId, subscriptionId)}`;
    for (const event of await this.streams.read(stream)) {
      const bill = decidedBill(event);
      if (bill?.invoiceId === invoiceId) return bill;
    }
    throw new Error(`Subscription ${subscriptionId} has no bill of invoice ${invoiceId}`);
  }
}
