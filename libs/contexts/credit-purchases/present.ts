import { jsonNumber } from '#libs/kernel/core';
import type { WalletKey } from '#libs/contexts/credits';
import type { CreditPurchaseResult } from './commands/purchase-credits.js';

/**
 * The status of a purchase. `pending_payment`: the invoice is not paid. `active`: the invoice is paid. The credits can be used, unless they
 * were used up, voided or have expired since then. `voided`: the invoice was voided.
 */
export const PURCHASE_STATUSES = ['pending_payment', 'active', 'voided'] as const;
type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/** Converts a purchase to its form in the API. `payment` is the last attempt to charge the card, and null if there was none. */
export function presentPurchase({ customerId, creditType }: WalletKey, result: CreditPurchaseResult) {
  const { purchase, invoice, block } = result;
  const attempt = invoice.attempts.at(-1);
  return {
    id: purchase.blockId,
    customerId,
    creditType,
    status: statusOf(result),
    credits: jsonNumber(purchase.amount),
    unitPrice: jsonNumber(invoice.lines[0]!.unitPrice!),
    currency: invoice.currency,
    total: jsonNumber(invoice.total),
    collection: purchase.collection,
    expiresAt: block?.expiresAt ?? purchase.expiresAt ?? null,
    description: purchase.description,
    invoice: {
      id: invoice.invoiceId,
      number: invoice.number,
      status: invoice.status,
      dueDate: invoice.dueDate,
    },
    payment: attempt ? { status: attempt.status, code: attempt.code, message: attempt.message } : null,
    createdAt: purchase.createdAt,
  };
}

/** While credits of the block are left, the purchase stays `active` even if the payment of the invoice is reversed later. */
function statusOf({ invoice: { status }, block }: CreditPurchaseResult): PurchaseStatus {
  if (status === 'paid' || block) return 'active';
  return status === 'void' ? 'voided' : 'pending_payment';
}
