import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import { Coupons } from '#libs/contexts/coupons';
import {
  invoiceDecider,
  Invoices,
  subscriptionPartsOf,
  RecomputeDraft,
  subscriptionIdsOf,
  optionalInvoiceAmounts,
  type Invoice,
} from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import { overageItemsOfLines } from '../measure/credit-usage-invoicer.js';
import { BillPricer } from '../price/bill-pricer.js';
import { BillingTermsFinder } from '../price/billing-terms-finder.js';
import { InvoiceIssuer } from '../invoice/invoice-issuer.js';
import { DecidedBills } from '../decide/decided-bills.js';

/**
 * Recomputes a draft, with the draft's own terms and the present usage. A progressive draft, and a draft without measured usage, does not
 * change. The use of a coupon that no longer discounts the draft is returned, and all uses of a draft that was voided meanwhile.
 */
@CommandHandler(RecomputeDraft)
export class RecomputeDraftHandler implements ICommandHandler<RecomputeDraft> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly bills: DecidedBills,
    private readonly terms: BillingTermsFinder,
    private readonly pricer: BillPricer,
    private readonly issuer: InvoiceIssuer,
    private readonly coupons: Coupons,
  ) {}

  async execute({ context, invoiceId }: RecomputeDraft): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    const isMeasured = subscriptionPartsOf(invoice).some(({ readings }) => readings !== undefined);
    if (invoice.status !== 'draft' || !isMeasured) return invoice;
    // Later invoices deduct the usage of a progressive draft, so the draft must not change. Newer usage is billed on a later invoice.
    if (invoice.kind === 'progressive') return invoice;
    const id = aggregateId(workspaceId, invoiceId);
    const bills = await this.billsOf(workspaceId, invoice);
    const price = async () =>
      this.pricer.compute(workspaceId, bills, {
        terms: await this.terms.termsOfDraft(workspaceId, bills, invoice),
        items: overageItemsOfLines(invoice.lines),
      });
    const issued = await this.issuer.recordGiveBacksAndIssue(
      context,
      { bills, price, lines: invoice.lines },
      async (computed) => {
        const { lines, total } = computed;
        const amounts = { lines, total, ...optionalInvoiceAmounts(computed) };
        const command = { type: 'RecomputeDraft', at, invoiceId, amounts } as const;
        return (await this.aggregates.execute(invoiceDecider, id, context, command)).state;
      },
    );
    // With less usage, a coupon of the draft may have nothing left to discount. If the draft was voided meanwhile, its coupons were returned
    // before they were reserved again.
    const discounting = issued.status === 'void' ? [] : (issued.discounts ?? []);
    const kept = discounting.map(({ redemptionId }) => redemptionId);
    await this.coupons.returnUses(context, issued.customerId, invoiceId, kept);
    return issued;
  }

  /** The bills of the invoice, in their order on the invoice. */
  private async billsOf(workspaceId: string, invoice: Invoice): Promise<Bill[]> {
    const { invoiceId } = invoice;
    return Promise.all(
      subscriptionIdsOf(invoice).map(async (subscriptionId) => {
        const bill = await this.bills.find(workspaceId, subscriptionId, invoiceId);
        if (!bill) throw new Error(`Subscription ${subscriptionId} has no bill of invoice ${invoiceId}`);
        return bill;
      }),
    );
  }
}
