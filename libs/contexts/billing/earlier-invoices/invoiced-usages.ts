import { Injectable } from '@nestjs/common';
import { Invoices } from '#libs/contexts/invoicing';
import type { Charge, ComputedInvoice, InvoicedBefore } from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { DecidedBills } from '../decide/decided-bills.js';
import { invoicedBefore } from './invoiced-before.js';
import type { ChargingInvoice } from './source-lines.js';

/** Prices a bill. */
export type ComputeBill = (bill: Bill) => Promise<Pick<ComputedInvoice, 'lines' | 'total'>>;

/** Looks up what of the usage that bills charge for was invoiced before its period was over. */
@Injectable()
export class InvoicedUsages {
  constructor(
    private readonly invoices: Invoices,
    private readonly bills: DecidedBills,
  ) {}

  /**
   * What was invoiced before of each of a bill's charges. `compute` prices a bill: of one that was decided a moment ago the invoice
   * may still be in the making.
   */
  async before(
    workspaceId: string,
    bill: Bill,
    compute: ComputeBill,
  ): Promise<(charge: Charge) => InvoicedBefore | undefined> {
    const ids = [...new Set(bill.charges.flatMap(({ invoicedBy = [] }) => invoicedBy))];
    const invoices = await Promise.all(
      ids.map(async (id) => [id, await this.invoice(workspaceId, bill, id, compute)] as const),
    );
    const known = new Map(invoices);
    return (charge) =>
      invoicedBefore(
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
  ): Promise<ChargingInvoice> {
    const made = await this.invoices.find(workspaceId, invoiceId);
    if (made) return made;
    const decided = await this.bills.find(workspaceId, bill.subscriptionId, invoiceId);
    if (!decided) throw new RangeError(`No bill of ${bill.subscriptionId} asks for invoice ${invoiceId}`);
    const { lines, total } = await compute(decided);
    const { currency } = bill;
    return { invoiceId, currency, lines, total, status: 'draft', creditNotes: [], isPlanned: true };
  }
}
