import type { InvoiceEvent } from '../events.js';
import type { Invoice } from '../invoice.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf } from './payment-guards.js';

/** The statuses of a dispute that the bank has decided (docs.stripe.com/api/disputes/object, `status`). */
const CLOSED: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed', 'prevented']);

/**
 * Records that a payment is disputed, and how the dispute ended. Reports may come in any order and more than once. A dispute that is
 * closed stays as it is. Reports between the opening and the end change nothing.
 */
export function recordDispute(
  { at, dispute }: InvoiceCommandOf<'RecordDispute'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const known = invoice.disputes?.find(({ disputeId }) => disputeId === dispute.disputeId);
  const data = { at, ...invoiceReferenceOf(invoice), ...dispute };
  const events: InvoiceEvent[] = [];
  if (!known) events.push({ type: 'PaymentDisputed', data });
  if (!known?.closedAt && CLOSED.has(dispute.status)) events.push({ type: 'PaymentDisputeClosed', data });
  return events;
}

/** Records each refund once. */
export function recordGatewayRefunds(
  { at, attemptId, refunds }: InvoiceCommandOf<'RecordGatewayRefunds'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const known = new Set(invoice.gatewayRefunds?.map(({ refundId }) => refundId));
  return refunds
    .filter(({ refundId }) => !known.has(refundId))
    .map(({ refundId, amount }) => ({
      type: 'GatewayRefundFound',
      data: { at, ...invoiceReferenceOf(invoice), attemptId, refundId, amount },
    }));
}
