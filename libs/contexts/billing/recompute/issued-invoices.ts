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

/** Computes issued invoices again, so that an audit can compare the results. */
@Injectable()
export class IssuedInvoices {
  constructor(
    private readonly pricer: BillPricer,
    private readonly terms: BillingTerms,
    private readonly late: LateUsages,
    private readonly invoiced: InvoicedUsages,
  ) {}

  /**
   * Computes the invoice of `bills` again, with the usage readings and the tax rates that the invoice records. `bills` are in the invoice's
   * order. NotFound if the catalog has no such price or metric, RangeError if the invoice has no reading of a charge.
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

  /** Checks the late usage of an invoice against the invoices before it, and returns the problems, such as usage that is billed twice. */
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

  /** Checks the usage that an invoice leaves out against the earlier invoices that charged that usage, and returns the problems. */
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

  /** Computes a manual invoice again from the items on its lines. */
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
