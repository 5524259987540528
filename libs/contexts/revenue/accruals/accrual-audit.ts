import { isDeepStrictEqual } from 'node:util';
import type { IssuedInvoiceAudit } from '#libs/contexts/billing';
import type { InvoiceDetails } from '#libs/contexts/invoicing';
import type { StreamReader } from '#libs/kernel/event-store';
import type { RevenueAccrualEvent } from './events.js';
import {
  measuredLinesOf,
  openAmounts,
  openBill,
  subscriptionAt,
  subscriptionStream,
} from './unbilled-revenue.js';

/** Computes accruals again from the subscription, the catalog and the usage log, as an audit does with invoices. */
export class AccrualAudit {
  constructor(
    private readonly streams: StreamReader,
    private readonly issued: IssuedInvoiceAudit,
  ) {}

  /**
   * Returns the problems of an accrual: measured lines and amounts that do not come out again. Throws NotFound if a price or a metric is
   * not in the catalog, RangeError if a charge has no reading.
   */
  async problems(workspaceId: string, { data }: RevenueAccrualEvent): Promise<string[]> {
    const { subscriptionId, currency, timezone, at, unbilled, measured } = data;
    const events = await this.streams.read(subscriptionStream(workspaceId, subscriptionId));
    const found = subscriptionAt(events, at);
    const bill = found && openBill(found.subscription, at);
    const open = unbilled.filter(({ invoiceId }) => invoiceId === null);
    if (!measured) return open.length === 0 ? [] : ['has amounts of open time without a measurement'];
    if (!bill) return ['measures open time, but the subscription had none'];
    const { exempt, ...recorded } = measured;
    const details = { ...bill, ...recorded, ...(exempt ? { taxExemption: 'exempt' } : {}) };
    const again = await this.issued.recompute(workspaceId, [bill], details as unknown as InvoiceDetails);
    const { lines } = measuredLinesOf(again);
    const problems = jsonEqual(lines, measured.lines) ? [] : ['has lines that do not come out again'];
    const amounts = openAmounts(measured, currency, at, timezone);
    return jsonEqual(amounts, open) ? problems : [...problems, 'has amounts that are not those of its lines'];
  }
}

function jsonEqual(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}
