import type { NewInvoice } from '#libs/invoicing';
import type { Bill } from '#libs/subscriptions';
import type { PricedBill } from './bill-pricing.js';

/** The invoice of a bill that has been priced. */
export function newInvoice(bill: Bill, { lines, total, readings }: PricedBill): NewInvoice {
  const { charges: _, ...details } = bill;
  return { ...details, lines, total, ...(readings.length > 0 ? { readings } : {}) };
}
