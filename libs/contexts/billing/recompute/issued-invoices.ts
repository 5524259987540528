import { Injectable } from '@nestjs/common';
import { partsOf, type InvoiceDetails, type NewInvoice } from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import { BillPricer } from '../price/bill-pricer.js';
import { BillingTerms } from '../price/billing-terms.js';
import { pricedItems } from '../manual/priced-items.js';
import { LateUsages } from '../earlier-invoices/late-usage.js';
import { newInvoice } from '../invoice/new-invoice.js';
import { commitmentsOf } from '../earlier-invoices/billed-commitments.js';
import { lateCommitmentProblems, lateProblems } from '../earlier-invoices/late-usage-problems.js';
import { invoicedProblems } from '../earlier-invoices/invoiced-before-problems.js';
import { InvoicedUsages } from '../earlier-invoices/invoiced-usages.js';
import { readingsOf } from '../earlier-invoices/usage-readings.js';

/** Invoices that were issued, computed again: what an audit compares them with. */
@Injectable()
export class IssuedInvoices {
  constructor(
    private readonly pricer: BillPricer,
    private readonly terms: BillingTerms,
    private readonly late: LateUsages,
    private readonly invoiced: InvoicedUsages,
  ) {}

  /**
   * What the invoice of `bills` must have been, if its usage was measured, and its taxes were, as it says. They are in its order. NotFound if
   * the catalog does not have what they charge for, RangeError if the invoice does not say how something was measured.
   */
  async recompute(workspaceId: string, bills: readonly Bill[], issued: InvoiceDetails): Promise<NewInvoice> {
    const terms = await this.terms.ofIssued(workspaceId, issued);
    const taken = partsOf(issued).map((part) => {
      const { lateReadings = [], lookBack, lateCommitments = [] } = part;
      const late = { lateReadings, lateCommitments, ...(lookBack ? { lookBack } : {}) };
      return {
        readings: readingsOf(part),
        lines: part.lines,
        late,
        ...(part.taxes ? { taxes: part.taxes } : {}),
      };
    });
    return newInvoice(bills, await this.pricer.recompute(workspaceId, bills, taken, terms));
  }

  /** What is wrong with what an invoice bills for late usage, beside the invoices before it: something that none billed, or twice. */
  async lateProblems(
    workspaceId: string,
    bill: Bill,
    issued: Pick<InvoiceDetails, 'lateReadings' | 'lateCommitments'>,
  ): Promise<string[]> {
    const { lateReadings = [], lateCommitments = [] } = issued;
    if (lateReadings.length === 0) return [];
    const { usage, commitments } = await this.late.billedBefore(workspaceId, bill);
    return [
      ...lateProblems(lateReadings, usage),
      ...lateCommitmentProblems(lateCommitments, commitmentsOf(commitments, lateReadings)),
    ];
  }

  /** What is wrong with what an invoice leaves out, beside the invoices that charged it before its period was over. */
  async invoicedProblems(
    workspaceId: string,
    bill: Bill,
    { lines }: Pick<InvoiceDetails, 'lines'>,
  ): Promise<string[]> {
    const before = await this.invoiced.before(workspaceId, bill, ({ invoiceId }) =>
      Promise.reject(new RangeError(`Invoice ${invoiceId}, which it leaves out, is not there`)),
    );
    return invoicedProblems(lines, bill.charges, before);
  }

  /** What an invoice that was made by hand comes to, by the items that stand on its lines. */
  async recomputeItems(workspaceId: string, issued: InvoiceDetails): Promise<NewInvoice> {
    const { invoiceId, currency } = issued;
    const items = issued.lines.map(
      ({ description, quantity, unitPrice = '0', periodStart, periodEnd, taxRateIds }) => ({
        ...{ description, quantity, unitPrice },
        period: { start: periodStart, end: periodEnd },
        ...(taxRateIds ? { taxRateIds } : {}),
      }),
    );
    const terms = await this.terms.withNamed(
      workspaceId,
      await this.terms.ofIssued(workspaceId, issued),
      items,
    );
    const { excess: _, ...priced } = pricedItems(items, { invoiceId, currency }, terms);
    const { settings: __, discounts: ___, ...details } = issued;
    return { ...details, ...priced };
  }
}
