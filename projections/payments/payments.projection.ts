import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { Recorded } from '#libs/kernel/domain';
import { foldProjection } from '#libs/kernel/projection';
import { PaymentRow, type PaymentStatus } from './payment-row.js';

const EVENTS = [
  'PaymentStarted',
  'PaymentActionRequired',
  'PaymentConfirmed',
  'PaymentSucceeded',
  'PaymentFailed',
  'PaymentRecorded',
  'RecordedPaymentReversed',
  'BalancePaymentStarted',
  'BalancePaymentFailed',
] as const;

type PaymentEvent = Extract<InvoiceEvent, { type: (typeof EVENTS)[number] }>;

/** All payments of all invoices, for `GET /v1/payments`. A payment that the customer's balance could not cover is left out. */
export const paymentsProjection = foldProjection<PaymentRow, PaymentEvent>({
  name: 'payments',
  version: 1,
  entity: PaymentRow,
  eventTypes: EVENTS,
  keyOf: ({ data }) => ('attemptId' in data ? data.attemptId : data.paymentId),
  isFirst: ({ type }) => type === 'PaymentStarted' || type === 'BalancePaymentStarted',
  evolve(row, event) {
    switch (event.type) {
      case 'PaymentStarted':
        return newRow(event, { id: event.data.attemptId, method: 'gateway', status: 'pending' });
      case 'BalancePaymentStarted':
        return newRow(event, { id: event.data.paymentId, method: 'balance', status: 'pending' });
      case 'PaymentRecorded': {
        const { paymentId: id, method } = event.data;
        // A payment from the balance has a row already.
        return row ? withStatus(row, 'succeeded') : newRow(event, { id, method, status: 'succeeded' });
      }
      case 'PaymentActionRequired':
        return withStatus(row, 'requires_action');
      case 'PaymentConfirmed':
        return withStatus(row, 'pending');
      case 'PaymentSucceeded':
        return withStatus(row, 'succeeded');
      case 'PaymentFailed':
        return withStatus(row, 'failed');
      case 'RecordedPaymentReversed':
        return withStatus(row, 'reversed');
      case 'BalancePaymentFailed':
        return undefined;
    }
  },
});

function newRow(
  { data: { invoiceId, customerId, at }, metadata: { workspaceId }, position }: Recorded<PaymentEvent>,
  { id, method, status }: Pick<PaymentRow, 'id' | 'method' | 'status'>,
): PaymentRow {
  return {
    id,
    workspaceId,
    invoiceId,
    customerId,
    method,
    status,
    createdAt: at,
    createdPosition: String(position),
  };
}

function withStatus(row: PaymentRow | undefined, status: PaymentStatus): PaymentRow | undefined {
  return row && { ...row, status };
}
