import { jsonNumber, type Instant } from '#libs/core';
import type { DomainEvent, Recorded, RecordedEvent } from '#libs/event-store';
import type { InvoiceEvent } from '#libs/invoicing';
import type { SubscriptionEvent } from '#libs/subscriptions';
import type { WebhookEvent } from '../events.js';
import { TEST_EVENT, type SentEvent } from './names.js';

/** What an event of ours means to the world outside. */
export interface Message {
  event: SentEvent;
  /** Business time: the workspace's clock when it happened. */
  timestamp: Instant;
  /** Describes the resource. Made from the event alone, so that it says what was so then, whenever it is sent. */
  data: object;
  /** To one endpoint only, under a delivery id that is chosen already. */
  to?: { webhookId: string; deliveryId: string };
}

type Source = InvoiceEvent | SubscriptionEvent | WebhookEvent;
type Messages<E extends DomainEvent> = {
  readonly [T in E['type']]?: (
    data: Extract<E, { type: T }>['data'],
  ) => Omit<Message, 'timestamp'> | undefined;
};

/** The one table of what is told, and how. An event that is not in it stays among ourselves. */
const MESSAGES: Messages<Source> = {
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
    },
  }),
  PaymentActionRequired: (data) => ({
    event: 'invoice.payment_action_required',
    data: { ...invoice(data), status: owedStatus(data), message: data.message },
  }),
  // Told when the subscription starts.
  SubscriptionCreated: (data) =>
    data.phase === 'pending' ? undefined : started({ ...data, phase: data.phase, at: data.startedAt }),
  SubscriptionStarted: started,
  SubscriptionPaused: (data) => ({
    event: 'subscription.paused',
    data: {
      id: data.subscriptionId,
      customerId: data.customerId,
      status: 'paused',
      pausedAt: data.at,
      resumesAt: data.resumeAt,
    },
  }),
  SubscriptionResumed: (data) => ({
    event: 'subscription.resumed',
    data: {
      id: data.subscriptionId,
      customerId: data.customerId,
      status: data.phase,
      resumedAt: data.at,
      currentPeriodStart: data.period.start,
      currentPeriodEnd: data.period.end,
    },
  }),
  SubscriptionAmended: (data) => {
    if (data.planId === data.from.planId && data.planVersion === data.from.planVersion) return undefined;
    return {
      event: 'subscription.plan_change',
      data: {
        id: data.subscriptionId,
        customerId: data.customerId,
        planId: data.planId,
        planVersion: data.planVersion,
        previousPlanId: data.from.planId,
        previousPlanVersion: data.from.planVersion,
        changedAt: data.at,
        currentPeriodStart: data.period.start,
        currentPeriodEnd: data.period.end,
      },
    };
  },
  SubscriptionPaymentFailed: (data) => ({
    event: 'subscription.past_due',
    data: {
      id: data.subscriptionId,
      customerId: data.customerId,
      status: 'past_due',
      invoiceId: data.invoiceId,
    },
  }),
  SubscriptionCanceled: (data) => ({
    event: 'subscription.cancel',
    data: {
      id: data.subscriptionId,
      customerId: data.customerId,
      status: 'canceled',
      canceledAt: data.at,
      reason: data.reason,
    },
  }),
  WebhookTestRequested: ({ webhookId, deliveryId }) => ({
    event: TEST_EVENT,
    data: { id: webhookId, message: 'This is a test. The endpoint works if it answers with 2xx.' },
    to: { webhookId, deliveryId },
  }),
};

/** What is sent to endpoints because of a recorded event; undefined if nothing is. */
export function messageOf(recorded: RecordedEvent): Message | undefined {
  const { type, data, metadata } = recorded as Recorded<Source>;
  const describe = MESSAGES[type] as
    ((data: Source['data']) => Omit<Message, 'timestamp'> | undefined) | undefined;
  const message = describe?.(data);
  return message && { ...message, timestamp: metadata.occurredAt };
}

function started(
  data: Omit<Extract<SubscriptionEvent, { type: 'SubscriptionStarted' }>['data'], 'bill' | 'run'>,
): Omit<Message, 'timestamp'> {
  return {
    event: 'subscription.created',
    data: {
      id: data.subscriptionId,
      customerId: data.customerId,
      status: data.phase,
      planId: data.planId,
      planVersion: data.planVersion,
      currency: data.currency,
      startedAt: data.at,
      currentPeriodStart: data.period.start,
      currentPeriodEnd: data.period.end,
    },
  };
}

/** What is still owed is open, or was given up. */
function owedStatus({ writtenOff }: { writtenOff?: true }): 'open' | 'uncollectible' {
  return writtenOff ? 'uncollectible' : 'open';
}

/** What the API contract says that `data` holds for an invoice. */
function invoice(data: { invoiceId: string; customerId: string; total: string; currency: string }) {
  return {
    id: data.invoiceId,
    customerId: data.customerId,
    total: jsonNumber(data.total),
    currency: data.currency,
  };
}
