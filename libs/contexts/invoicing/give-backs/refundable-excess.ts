import { Decimal, type DecimalString } from '#libs/kernel/core';
import { mostCreditable } from '#libs/rating';
import { toCreditableInvoice } from '../credit-notes/creditable-invoice.js';
import { refundableAmounts } from '../credit-notes/decide-credit-note.js';
import type { Invoice } from '../invoice.js';

/**
 * The part of a later invoice's excess, at most `most`, that can be refunded from this invoice's payment. Zero if this invoice was already
 * refunded for the later invoice. The remaining amount of this invoice's lines is not refunded, so that it can still be credited.
 */
export function refundableExcess(byInvoiceId: string, most: DecimalString, invoice: Invoice): Decimal {
  const isDone = invoice.refunds.some((one) => one.byInvoiceId === byInvoiceId);
  if (invoice.status !== 'paid' || isDone) return new Decimal(0);
  const spare = refundableAmounts(invoice).inMoney.minus(mostCreditable(toCreditableInvoice(invoice)));
  return Decimal.max(Decimal.min(most, spare), 0);
}
