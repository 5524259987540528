import { jsonNumber } from '#libs/kernel/core';
import { EXAMPLE, type WebhookEvents } from '#libs/manifest';
import type { InvoiceLine } from '#libs/rating';
import type { DisputeReport, InvoiceEvent } from './events.js';
import { invoiceDecider } from './decider.js';
import { presentInvoice } from './present.js';
import { endOfRetries, plannedRetryAt } from './payment-retries.js';
import { BILLING_DEFAULTS } from './settings/billing-settings.js';
import type { BillingSettingsEvent } from './settings/events.js';

const { customerId, subscriptionId, invoiceId, periodStart, periodEnd, priceId } = EXAMPLE;
const at = periodEnd;
const method = {
  paymentMethodId: 'pm_01JD00000000000000EXAMPLE8',
  type: 'test',
  test: 'pm_card_visa',
  label: 'Visa ending 4242',
} as const;
const ofInvoice = { invoiceId, customerId, currency: 'USD', total: '23.75', at };
const attemptId = 'pay_01JD0000000000000EXAMPLE10';
const retryId = 'pay_01JD0000000000000EXAMPLE17';
const charge = { ...ofInvoice, attemptId, attempt: 1 };
const line = { priceVersion: 1, periodStart, periodEnd };
const lines: InvoiceLine[] = [
  {
    ...line,
    id: 'line_01JD0000000000000EXAMPLE11',
    type: 'usage',
    description: 'API units',
    priceId: 'price_01JD0000000000000EXAMPLE12',
    quantity: '1500',
    unitPrice: '0.0025',
    amount: '3.75',
  },
  {
    ...line,
    id: 'line_01JD0000000000000EXAMPLE13',
    type: 'flat',
    description: 'Platform fee',
    priceId: priceId,
    quantity: '1',
    amount: '20.00',
  },
];
const issued: InvoiceEvent[] = [
  {
    type: 'InvoiceCreated',
    data: {
      ...ofInvoice,
      subscriptionId,
      kind: 'cycle',
      periodStart,
      periodEnd,
      billedAt: at,
      billToName: 'Northwind Ltd',
      billToEmail: 'ap@northwind.example',
      timezone: 'UTC',
      lines,
      settings: BILLING_DEFAULTS,
    },
  },
  {
    type: 'InvoiceOpened',
    data: {
      ...ofInvoice,
      kind: 'cycle',
      number: 'INV-000042',
      sellerName: 'Contoso',
      dueDate: '2026-03-03T00:00:00.000Z',
    },
  },
];
const charged: InvoiceEvent[] = [
  ...issued,
  { type: 'PaymentStarted', data: { ...charge, amount: '23.75', method } },
];
const declined: InvoiceEvent[] = [
  ...charged,
  {
    type: 'PaymentFailed',
    data: {
      ...charge,
      code: 'card_declined',
      message: 'The card was declined',
      retries: { nextAttemptAt: '2026-02-02T00:00:00.000Z' },
    },
  },
];
const recovered: InvoiceEvent[] = [
  ...declined,
  {
    type: 'PaymentStarted',
    data: { ...charge, attemptId: retryId, attempt: 2, retry: 1, amount: '23.75', method },
  },
  {
    type: 'PaymentSucceeded',
    data: { ...charge, attemptId: retryId, attempt: 2, amount: '23.75', recovered: true },
  },
  { type: 'InvoicePaid', data: { ...ofInvoice, attemptId: retryId } },
];
const paid: InvoiceEvent[] = [
  ...charged,
  { type: 'PaymentSucceeded', data: { ...charge, amount: '23.75' } },
  { type: 'InvoicePaid', data: { ...ofInvoice, attemptId } },
];
const report = {
  attemptId,
  disputeId: 'du_1PexampleDispute',
  amount: '23.75',
  reason: 'fraudulent',
  status: 'needs_response',
};
const disputed: InvoiceEvent[] = [...paid, { type: 'PaymentDisputed', data: { ...ofInvoice, ...report } }];
const note = { creditNoteId: 'cn_01JD0000000000000EXAMPLE14', number: 'CN-000007', amount: '5.00' };
const credited: InvoiceEvent[] = [
  ...paid,
  {
    type: 'CreditNoteIssued',
    data: {
      ...ofInvoice,
      note: {
        creditNoteId: note.creditNoteId,
        issuedAt: at,
        reason: 'service_issue',
        memo: null,
        lines: [],
        discount: '0.00',
        taxes: [],
        total: note.amount,
        unpaid: '0.00',
        toBalance: note.amount,
        refunded: '0.00',
      },
    },
  },
  { type: 'CreditNoteNumbered', data: { ...ofInvoice, ...note, reason: 'service_issue' } },
];

const noteRefund = { creditNoteId: note.creditNoteId, amount: note.amount };
/** The events of the example credit note, with the amount refunded to the card instead of added to the balance. */
const refunding: InvoiceEvent[] = credited.map((event) =>
  event.type === 'CreditNoteIssued'
    ? {
        ...event,
        data: {
          ...event.data,
          note: { ...event.data.note, toBalance: '0.00', refunded: note.amount },
        },
      }
    : event,
);

const transfer = {
  ...ofInvoice,
  paymentId: 'rpay_01JD000000000000EXAMPLE18',
  amount: '10.00',
  method: 'bank_transfer',
} as const;
const transferred: InvoiceEvent[] = [
  ...issued,
  { type: 'PaymentRecorded', data: { ...transfer, paidAt: at, reference: 'E2E-4711' } },
];

/** The webhook events of invoices. */
export const webhookEvents: WebhookEvents<InvoiceEvent | BillingSettingsEvent> = {
  names: [
    'invoice.created',
    'invoice.paid',
    'invoice.voided',
    'invoice.credit_note',
    'invoice.credit_note_voided',
    'invoice.payment_failed',
    'invoice.payment_action_required',
    'invoice.marked_uncollectible',
    'invoice.due_soon',
    'invoice.overdue',
    'invoice.payment_recovered',
    'invoice.payment_disputed',
    'invoice.payment_dispute_closed',
    'invoice.gateway_refund_found',
    'invoice.refund_failed',
    'invoice.payment_recorded',
    'invoice.payment_reversed',
  ],
  messages: {
    InvoiceOpened: (data) => ({
      event: 'invoice.created',
      data: {
        ...invoice(data),
        ...(data.kind === undefined ? {} : { kind: data.kind }),
        status: 'open',
        number: data.number,
        dueDate: data.dueDate,
      },
    }),
    InvoicePaid: (data) => ({
      event: 'invoice.paid',
      data: { ...invoice(data), status: 'paid', paidAt: data.at },
    }),
    CreditNoteNumbered: (data) => ({
      event: 'invoice.credit_note',
      data: {
        ...invoice(data),
        creditNote: {
          id: data.creditNoteId,
          number: data.number,
          amount: jsonNumber(data.amount),
          reason: data.reason,
        },
      },
    }),
    CreditNoteVoided: (data) => ({
      event: 'invoice.credit_note_voided',
      data: {
        ...invoice(data),
        creditNote: {
          id: data.creditNoteId,
          number: data.number,
          amount: jsonNumber(data.amount),
          status: 'void',
          voidedAt: data.at,
          voidReason: data.reason,
        },
      },
    }),
    InvoiceMarkedUncollectible: (data) => ({
      event: 'invoice.marked_uncollectible',
      data: { ...invoice(data), status: 'uncollectible', amountDue: jsonNumber(data.amount) },
    }),
    InvoiceVoided: (data) => ({
      event: 'invoice.voided',
      data: { ...invoice(data), status: 'void', number: data.number, voidedAt: data.at, reason: data.reason },
    }),
    PaymentFailed: (data) => ({
      event: 'invoice.payment_failed',
      data: {
        ...invoice(data),
        status: owedStatus(data),
        attempt: data.attempt,
        failure: { code: data.code, message: data.message },
        nextAttemptAt: plannedRetryAt(data.retries),
        retriesEnded: endOfRetries(data.retries)?.ended ?? null,
      },
    }),
    PaymentSucceeded: (data) =>
      data.recovered && {
        event: 'invoice.payment_recovered',
        data: { ...invoice(data), status: 'paid', attempt: data.attempt },
      },
    PaymentDisputed: (data) => ({
      event: 'invoice.payment_disputed',
      data: { ...invoice(data), dispute: dispute(data) },
    }),
    PaymentDisputeClosed: (data) => ({
      event: 'invoice.payment_dispute_closed',
      data: { ...invoice(data), dispute: dispute(data) },
    }),
    GatewayRefundFound: (data) => ({
      event: 'invoice.gateway_refund_found',
      data: {
        ...invoice(data),
        refund: { id: data.refundId, attemptId: data.attemptId, amount: jsonNumber(data.amount) },
      },
    }),
    CreditNoteRefundRefused: (data) => failedRefund('refused', data),
    CreditNoteRefundFailed: (data) => failedRefund('failed', data),
    PaymentRefundRefused: (data) => failedRefund('refused', data),
    PaymentRefundFailed: (data) => failedRefund('failed', data),
    GatewayRefundFailed: (data) => failedRefund('failed', data),
    PaymentRecorded: (data) => ({
      event: 'invoice.payment_recorded',
      data: { ...invoice(data), payment: { ...paymentOf(data), paidAt: data.paidAt } },
    }),
    RecordedPaymentReversed: (data) => ({
      event: 'invoice.payment_reversed',
      data: {
        ...invoice(data),
        status: owedStatus(data),
        payment: { ...paymentOf(data), reversedAt: data.at, reversalReason: data.reason },
      },
    }),
    PaymentActionRequired: (data) => ({
      event: 'invoice.payment_action_required',
      data: { ...invoice(data), status: owedStatus(data), message: data.message },
    }),
  },
  resources: [{ decider: invoiceDecider, present: presentInvoice }],
  examples: {
    'invoice.created': issued,
    'invoice.paid': paid,
    'invoice.voided': [
      ...issued,
      { type: 'InvoiceVoided', data: { ...ofInvoice, number: 'INV-000042', reason: 'Issued by mistake' } },
    ],
    'invoice.credit_note': credited,
    'invoice.credit_note_voided': [
      ...credited,
      { type: 'CreditNoteVoided', data: { ...ofInvoice, ...note, reason: null } },
    ],
    'invoice.payment_failed': declined,
    'invoice.payment_action_required': [
      ...charged,
      {
        type: 'PaymentActionRequired',
        data: { ...ofInvoice, attemptId, message: 'Confirm the payment' },
      },
    ],
    'invoice.marked_uncollectible': [
      ...declined,
      { type: 'InvoiceMarkedUncollectible', data: { ...ofInvoice, amount: '23.75' } },
    ],
    'invoice.payment_recovered': recovered,
    'invoice.payment_disputed': disputed,
    'invoice.payment_dispute_closed': [
      ...disputed,
      { type: 'PaymentDisputeClosed', data: { ...ofInvoice, ...report, status: 'lost' } },
    ],
    'invoice.gateway_refund_found': [
      ...paid,
      {
        type: 'GatewayRefundFound',
        data: { ...ofInvoice, attemptId, refundId: 're_1PexampleRefund', amount: '23.75' },
      },
    ],
    'invoice.refund_failed': [
      ...refunding,
      { type: 'CreditNoteRefunded', data: { ...ofInvoice, ...noteRefund } },
      {
        type: 'CreditNoteRefundFailed',
        data: {
          ...ofInvoice,
          ...noteRefund,
          refundId: 're_1PexampleRefund',
          message: 'Stripe could not complete the refund: expired_or_canceled_card',
        },
      },
    ],
    'invoice.payment_recorded': transferred,
    'invoice.payment_reversed': [
      ...transferred,
      {
        type: 'RecordedPaymentReversed',
        data: { ...transfer, reason: 'Recorded on the wrong invoice' },
      },
    ],
    'invoice.due_soon': issued,
    'invoice.overdue': issued,
  },
};

function dispute({ disputeId, attemptId, amount, reason, status }: DisputeReport) {
  return { id: disputeId, attemptId, amount: jsonNumber(amount), reason, status };
}

/**
 * The webhook of a refund that failed or was refused, so that the customer got no money. The refund belongs to a credit note, to a later
 * invoice, or to neither.
 */
function failedRefund(
  status: 'refused' | 'failed',
  data: Parameters<typeof invoice>[0] & {
    amount: string;
    message: string;
    refundId?: string;
    creditNoteId?: string;
    /** The later invoice that gave the refunded amount back. */
    byInvoiceId?: string;
  },
) {
  const { amount, message: failure, refundId = null, creditNoteId = null, byInvoiceId = null } = data;
  const refund = { id: refundId, amount: jsonNumber(amount), status, failure, creditNoteId, byInvoiceId };
  return { event: 'invoice.refund_failed' as const, data: { ...invoice(data), refund } };
}

/** The status of an invoice that is still owed. An unpaid invoice is open, or uncollectible after a write-off. */
function owedStatus({ writtenOff }: { writtenOff?: true }): 'open' | 'uncollectible' {
  return writtenOff ? 'uncollectible' : 'open';
}

/** A recorded payment in the `data` of a webhook. */
function paymentOf({
  paymentId,
  method,
  amount,
  toBalance = '0',
}: {
  paymentId: string;
  method: string;
  amount: string;
  toBalance?: string;
}) {
  return { id: paymentId, method, amount: jsonNumber(amount), balanceCredited: jsonNumber(toBalance) };
}

/** The `data` of an invoice webhook, as the API contract defines it. */
function invoice(data: { invoiceId: string; customerId: string; total: string; currency: string }) {
  return {
    id: data.invoiceId,
    customerId: data.customerId,
    total: jsonNumber(data.total),
    currency: data.currency,
  };
}
