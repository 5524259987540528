import { omit } from '#libs/kernel/core';
import { Injectable } from '@nestjs/common';
import { subscriptionPartsOf, type InvoiceDetails, type NewInvoice } from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import { itemOfLine, overageItemsOfLines } from '../measure/credit-usage-invoicer.js';
import { BillPricer } from '../price/bill-pricer.js';
import { BillingTermsFinder } from '../price/billing-terms-finder.js';
import { priceItems } from '../invoice/priced-items.js';
import { LateUsageFinder } from '../earlier-invoices/late-usage-finder.js';
import { composeInvoice } from '../invoice/new-invoice.js';
import { commitmentsWithLateUsage } from '../earlier-invoices/billed-commitments.js';
import { lateCommitmentProblems, lateUsageProblems } from '../earlier-invoices/late-usage-problems.js';
import { earlierUsageChargeProblems } from '../earlier-invoices/invoiced-before-problems.js';
import { InvoicedUsageFinder } from '../earlier-invoices/invoiced-usage-finder.js';
import { usageReadingsOf } from '../earlier-invoices/usage-readings.js';

/** Recomputes issued invoices, so that an audit can compare the results. */
@Injectable()
export class IssuedInvoiceAuditor {
  constructor(
    private readonly pricer: BillPricer,
    private readonly terms: BillingTermsFinder,
    private readonly late: LateUsageFinder,
    private readonly invoiced: InvoicedUsageFinder,
  ) {}

  /**
   * Recomputes the invoice of `bills`, with the usage readings and the tax rates that the invoice records. `bills` have the order of the
   * parts of the invoice. Throws NotFound if a price or metric is not in the catalog. Throws RangeError if a charge has no reading on the
   * invoice.
   */
  async recompute(workspaceId: string, bills: readonly Bill[], issued: InvoiceDetails): Promise<NewInvoice> {
    const terms = await this.terms.termsOfInvoice(workspaceId, issued);
    const taken = subscriptionPartsOf(issued).map((part) => {
      const { lateReadings = [], lookBack, lateCommitments = [] } = part;
      const late = { lateReadings, lateCommitments, ...(lookBack ? { lookBack } : {}) };
      return {
        readings: usageReadingsOf(part),
        lines: part.lines,
        late,
        ...(part.taxes ? { taxes: part.taxes } : {}),
      };
    });
    return composeInvoice(
      bills,
      await this.pricer.recompute(workspaceId, bills, taken, terms, overageItemsOfLines(issued.lines)),
    );
  }

  /** Checks the late usage of an invoice against the invoices before it. Returns the problems, such as usage that is billed twice. */
  async findLateUsageProblems(
    workspaceId: string,
    bill: Bill,
    issued: Pick<InvoiceDetails, 'lateReadings' | 'lateCommitments'>,
  ): Promise<string[]> {
    const { lateReadings = [], lateCommitments = [] } = issued;
    if (lateReadings.length === 0) return [];
    const { usage, commitments } = await this.late.readEarlierBillings(workspaceId, bill);
    return [
      ...lateUsageProblems(lateReadings, usage),
      ...lateCommitmentProblems(lateCommitments, commitmentsWithLateUsage(commitments, lateReadings)),
    ];
  }

  /**
   * Checks the usage that an invoice deducts because earlier invoices charged it. The check compares this usage with these earlier
   * invoices. Returns the problems.
   */
  async findEarlierUsageChargeProblems(
    workspaceId: string,
    bill: Bill,
    { lines }: Pick<InvoiceDetails, 'lines'>,
  ): Promise<string[]> {
    const before = await this.invoiced.createEarlierUsageFinder(workspaceId, bill, ({ invoiceId }) =>
      Promise.reject(new RangeError(`Invoice ${invoiceId}, whose charges it deducts, does not exist`)),
    );
    return earlierUsageChargeProblems(lines, bill.charges, before);
  }

  /** Recomputes a manual invoice from the items on its lines. */
  async recomputeManualInvoice(workspaceId: string, issued: InvoiceDetails): Promise<NewInvoice> {
    const { invoiceId, currency } = issued;
    const items = issued.lines.map(itemOfLine);
    const terms = await this.terms.addNamedTaxRates(
      workspaceId,
      await this.terms.termsOfInvoice(workspaceId, issued),
      items,
    );
    const priced = omit(priceItems(items, { invoiceId, currency }, terms), ['excess']);
    return { ...omit(issued, ['settings', 'discounts']), ...priced };
  }
}
