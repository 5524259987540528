import { jsonNumber } from '#libs/kernel/core';
import type { DomainEvent } from '#libs/kernel/domain';
import type { CustomerEvent } from '#libs/contexts/customers';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { PriceMigrationEvent } from '#libs/contexts/price-migrations';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import type { UnmatchedUsageEvent } from '#libs/contexts/unmatched-usage';
import type { PublicEvent } from './names.js';

/** What an event of ours tells. */
export interface PublicEventContent {
  event: PublicEvent;
  /** What the event itself says. Made from it alone. */
  data: object;
}

/** The events of ours that can be told. */
export type PublishableEvent =
  InvoiceEvent | SubscriptionEvent | CustomerEvent | PriceMigrationEvent | UnmatchedUsageEvent;
type Messages<E extends DomainEvent> = {
  readonly [T in E['type']]?: (data: Extract<E, { type: T }>['data']) => PublicEventContent | undefined;
};

/** The one table of what is told, and how. An event that is not in it stays among ourselves. */
const MESSAGES: Messages<PublishableEvent> = {
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
  CustomerCreated: customerTold('customer.created'),
  CustomerUpdated: customerTold('customer.updated'),
  PaymentMethodAttached: customerTold('customer.updated'),
  PaymentMethodDetached: customerTold('customer.updated'),
  DefaultPaymentMethodChanged: customerTold('customer.updated'),
  CustomerDeleted: ({ customerId }) => ({
    event: 'customer.deleted',
    data: { id: customerId, deleted: true },
  }),
  PriceMigrationScheduled: migrationTold('price_migration.scheduled'),
  PriceMigrationStarted: migrationTold('price_migration.started'),
  PriceMigrationFinished: migrationTold('price_migration.finished'),
  PriceMigrationCanceled: migrationTold('price_migration.canceled'),
  UnmatchedUsageReported: ({ count, since, until, warnings }) => ({
    event: 'usage.unmatched',
    data: { count, since, until, warnings },
  }),
};

/** What an event tells the world outside; undefined if it stays among ourselves. */
export function publicEventOf({ type, data }: DomainEvent): PublicEventContent | undefined {
  const describe = MESSAGES[type as PublishableEvent['type']] as
    ((data: object) => PublicEventContent | undefined) | undefined;
  return describe?.(data);
}

/** Says of whom, and nothing personal: what the API shows of the customer is added when it is sent. */
function customerTold(event: PublicEvent): (data: { customerId: string }) => PublicEventContent {
  return ({ customerId }) => ({ event, data: { id: customerId } });
}

function migrationTold(event: PublicEvent): (data: { migrationId: string }) => PublicEventContent {
  return ({ migrationId }) => ({ event, data: { id: migrationId } });
}

function started(
  data: Omit<Extract<SubscriptionEvent, { type: 'SubscriptionStarted' }>['data'], 'bill' | 'run'>,
): PublicEventContent {
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
