import { Decimal } from '#libs/core';
import type { NewInvoice } from '#libs/invoicing';
import type { Bill } from '#libs/subscriptions';
import type { PricedBill } from './bill-pricing.js';

/** The invoice of a bill that has been priced. */
export function newInvoice(bill: Bill, { lines, total, excess, readings }: PricedBill): NewInvoice {
  const { charges: _, ...details } = bill;
  const more = {
    ...(new Decimal(excess).isZero() ? {} : { excess }),
    ...(readings.length > 0 ? { readings } : {}),
  };
  return { ...details, lines, total, ...more };
}
