import { Injectable } from '@nestjs/common';
import { Invoices } from '#libs/contexts/invoicing';
import type { Charge, ComputedInvoice, EarlierUsageCharges } from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { DecidedBills } from '../decide/decided-bills.js';
import { earlierUsageCharges } from './earlier-usage-charges.js';
import type { SourceInvoice } from './source-lines.js';

/** Computes the lines and the total of a bill. */
export type ComputeBill = (bill: Bill) => Promise<Pick<ComputedInvoice, 'lines' | 'total'>>;

/**
 * Finds the part of a bill's usage that progressive invoices have already charged within the period. The time of an interim invoice is not
 * part of the bill, so nothing is deducted for it.
 */
@Injectable()
export class InvoicedUsageFinder {
  constructor(
    private readonly invoices: Invoices,
    private readonly bills: DecidedBills,
  ) {}

  /**
   * Returns a function that finds the already invoiced usage of each charge of the bill. `compute` prices an earlier bill whose invoice
   * does not exist yet.
   */
  async createEarlierUsageFinder(
    workspaceId: string,
    bill: Bill,
    compute: ComputeBill,
  ): Promise<(charge: Charge) => EarlierUsageCharges | undefined> {
    const ids = [...new Set(bill.charges.flatMap(({ invoicedBy = [] }) => invoicedBy))];
    const invoices = await Promise.all(
      ids.map(async (id) => [id, await this.invoice(workspaceId, bill, id, compute)] as const),
    );
    const known = new Map(invoices);
    return (charge) =>
      earlierUsageCharges(
        charge,
        (charge.invoicedBy ?? []).map((id) => known.get(id)!),
        bill.invoiceId,
      );
  }

  private async invoice(
    workspaceId: string,
    bill: Bill,
    invoiceId: string,
    compute: ComputeBill,
  ): Promise<SourceInvoice> {
    const made = await this.invoices.find(workspaceId, invoiceId);
    if (made) return made;
    const decided = await this.bills.find(workspaceId, bill.subscriptionId, invoiceId);
    if (!decided) throw new RangeError(`No bill of ${bill.subscriptionId} asks for invoice ${invoiceId}`);
    const { lines, total } = await compute(decided);
    const { currency } = bill;
    return { invoiceId, currency, lines, total, status: 'draft', creditNotes: [], isPlanned: true };
  }
}
