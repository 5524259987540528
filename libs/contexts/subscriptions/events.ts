import type { BillingThresholds } from '#libs/contexts/catalog';
import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type {
  Charge,
  ChargedItem,
  MinimumCommitment,
  NumberedPeriod,
  Period,
  PlanCommitment,
  PriceSnapshot,
  RecurringCadence,
} from '#libs/rating';
import type { Quantities } from './quantities.js';

/** A billing period with its number, counted from the anchor. */
export type BillingPeriod = NumberedPeriod;

/** A price that the subscription has, in the version that it stays on. */
export interface SubscriptionItem extends ChargedItem {
  /** The fees in whose place it began unprorated: it is charged from where their paid time ends. Absent: none. */
  readonly waitsFor?: readonly PaidFee[];
}

/** Names a fee that an invoice charged in advance. */
export interface PaidFee {
  readonly invoiceId: string;
  readonly priceId: string;
  readonly service: Period;
}

/** What a subscription is subscribed to; it stays so whatever becomes of the plan and its prices. */
export interface SubscribedTerms {
  planId: string;
  planVersion: number;
  planName: string;
  /** Boundary 0, from which every other is counted. */
  anchor: Instant;
  billingInterval: RecurringCadence;
  /** What each billing period or interval comes to at least; absent: no least amount. */
  minimumCommitment?: MinimumCommitment | undefined;
  /** The plan's: when usage is invoiced before its period is over; absent: never. */
  billingThresholds?: BillingThresholds | undefined;
  items: SubscriptionItem[];
}

/** A plan that is subscribed to, in the version of now. */
export interface SubscribedPlan {
  planId: string;
  planVersion: number;
  planName: string;
  currency: string;
  /** What each billing period or interval comes to at least; absent: no least amount. */
  minimumCommitment?: MinimumCommitment | undefined;
  /** When usage is invoiced before its period is over; absent: never. */
  billingThresholds?: BillingThresholds | undefined;
  prices: PriceSnapshot[];
}

/** What is to be changed about what a subscription is subscribed to. Prices are in the versions that it will stay on. */
export interface TermsChange {
  /** The plan that it goes over to, with exactly that plan's prices; null: it stays on its plan. */
  plan: SubscribedPlan | null;
  /** Prices that it gets besides; one that it has already comes in this version. */
  addPrices: PriceSnapshot[];
  removePrices: string[];
  /** Units of fees; what is not named keeps what it has, or is one. */
  quantities: Quantities;
}

/** `amend`: what somebody asked for. `migrate`: a newer version of its plan. `price_migration`: with many others. */
export const AMENDMENT_KINDS = ['amend', 'migrate', 'price_migration'] as const;
export type AmendmentKind = (typeof AMENDMENT_KINDS)[number];

/** A change of terms that was asked for. */
export interface RequestedAmendment {
  amendmentId: string;
  kind: AmendmentKind;
  change: TermsChange;
  /** Whether parts of periods are given back and charged. */
  prorate: boolean;
  /** The price migration that it is of; absent: none, or the event was written before this was. */
  migrationId?: string;
}

/** What was agreed when the subscription was made. Its terms can be changed. */
export interface SubscriptionAgreement extends SubscribedTerms {
  subscriptionId: string;
  customerId: string;
  currency: string;
  /** Whose local calendar cuts the periods. */
  timezone: string;
  /** The day of the month that periods begin on, if it was chosen. */
  anchorDay: number | null;
  /** When it starts; its trial, if it has one. */
  startedAt: Instant;
  /** When the trial ends and the first period that is charged begins; null without a trial. */
  trialEnd: Instant | null;
  createdAt: Instant;
  /** What was agreed in place of the plan's `billingThresholds`, null for never; absent: nothing. */
  ownBillingThresholds?: BillingThresholds | null | undefined;
  metadata: Record<string, unknown>;
  /** The integrator's own id, unique in the workspace; absent: none. The subscription's id derives from it. */
  externalId?: string | undefined;
  /** On one with an external id: what tells the command that made it from another with the same. */
  createdBy?: string | undefined;
}

/**
 * Where a subscription is in its life. `pending`: it starts in the future. `trialing`: it is free. `active`: it is billed.
 * `paused`: it is not. `canceled`: it has ended.
 */
export type SubscriptionPhase = 'pending' | 'trialing' | 'active' | 'paused' | 'canceled';

/**
 * `cycle`: a boundary's. `interim`: asked for within a period. `progressive`: made within a period, as its usage reached a threshold.
 * `final`: made when the subscription ends. The others: made by the change that they are called after.
 */
export type BillKind = 'cycle' | 'interim' | 'progressive' | 'final' | 'pause' | 'resume' | 'amendment';

/**
 * What one invoice charges for: all of it but the usage, which is measured when the invoice is made. It needs nothing
 * else to be understood, so it means the same whenever it is read.
 */
export interface Bill {
  readonly invoiceId: string;
  readonly kind: BillKind;
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  /** The instant that it is made for: the boundary, or when it was asked for or the subscription ended. */
  readonly billedAt: Instant;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly charges: Charge[];
  /** What is committed to for the time that ends with it; absent: nothing. */
  readonly commitment?: PlanCommitment;
  /** What is in arrears is waived: what came late is neither charged nor given back. */
  readonly waives?: true;
  /** What it gives back beyond what it charges is refunded, as far as it was paid in money; absent: it goes to the customer's balance. */
  readonly excessTo?: 'refund';
  /** The plan that it bills, where other subscriptions of the customer may be on its invoice; absent: it is alone there. */
  readonly consolidated?: { readonly planId: string; readonly planName: string };
}

/** The billing run that something due was done in: one asked for, or the timers' of that instant. */
export interface RunReference {
  runId: string;
  trigger: 'manual' | 'schedule';
}

/**
 * Why a subscription ended. `customer_deleted` stands in events of earlier versions alone: its customer was deleted while it was being
 * created.
 */
export type CancelReason = 'requested' | 'customer_deleted';

/**
 * What becomes of the unused part of fees that were paid in advance. `balance`: the last invoice gives it back; what exceeds that invoice
 * and open debt goes to the customer's balance. `refund`: that is refunded, as far as it was paid in money. `none`: nothing is given back.
 */
export const CANCEL_CREDITS = ['balance', 'refund', 'none'] as const;
export type CancelCredit = (typeof CANCEL_CREDITS)[number];

/** How a subscription ends. */
export interface CancelOptions {
  credit: CancelCredit;
  /** Whether what is in arrears is invoiced: usage, and the share of fees. False: it is waived. */
  finalInvoice: boolean;
}

/** How a subscription ends if nobody says how. */
export const DEFAULT_CANCEL_OPTIONS: CancelOptions = { credit: 'balance', finalInvoice: true };

/** Absent where they are the defaults. */
interface WithCancelOptions {
  options?: CancelOptions;
}

/** Of what is planned for the end of the period: it moves with that. Absent: for an instant, which stays. */
interface AtPeriodEnd {
  atPeriodEnd?: true;
}

type SubscriptionFact<Type extends string, Data extends object> = DomainEvent<
  Type,
  { subscriptionId: string; customerId: string } & Data
>;

/**
 * Each event that leads to an invoice carries the whole bill. The bill is decided on the subscription's stream, and the invoice follows
 * from it, however late and however often that is tried. `at` is when something took effect, which is before the event's own time if a due
 * instant was looked at late; `run` is the billing run that did, and null for what was asked for at that very moment.
 */
export type SubscriptionEvent =
  /** `phase` is what it is in at once; a pending one has an empty period, which ends when it starts. */
  | DomainEvent<
      'SubscriptionCreated',
      { at: Instant } & Omit<SubscriptionAgreement, 'createdAt'> & {
          phase: 'pending' | 'trialing' | 'active';
          period: BillingPeriod;
          bill: Bill | null;
        }
    >
  /** A pending one has started: its trial, or its first period that is charged. */
  | SubscriptionFact<
      'SubscriptionStarted',
      {
        at: Instant;
        planId: string;
        planVersion: number;
        currency: string;
        phase: 'trialing' | 'active';
        period: BillingPeriod;
        bill: Bill | null;
        run: RunReference;
      }
    >
  | SubscriptionFact<
      'SubscriptionTrialEnded',
      { at: Instant; period: BillingPeriod; bill: Bill | null; run: RunReference }
    >
  | SubscriptionFact<'SubscriptionRenewed', { period: BillingPeriod; bill: Bill | null; run: RunReference }>
  | DomainEvent<'SubscriptionUsageBilled', { subscriptionId: string; through: Instant; bill: Bill }>
  /** It will be paused at `pauseAt`, and resumed at `resumeAt` if that is known. */
  | SubscriptionFact<
      'SubscriptionPauseScheduled',
      { pauseAt: Instant; resumeAt: Instant | null } & AtPeriodEnd
    >
  | SubscriptionFact<'SubscriptionPauseWithdrawn', object>
  | SubscriptionFact<
      'SubscriptionPaused',
      { at: Instant; resumeAt: Instant | null; bill: Bill | null; run: RunReference | null }
    >
  | SubscriptionFact<'SubscriptionResumptionScheduled', { resumeAt: Instant }>
  /** It goes on, with a period that begins now: of its trial, if that was not over, with what was left of it. */
  | SubscriptionFact<
      'SubscriptionResumed',
      {
        at: Instant;
        phase: 'trialing' | 'active';
        anchor: Instant;
        trialEnd: Instant | null;
        period: BillingPeriod;
        bill: Bill | null;
        run: RunReference | null;
      }
    >
  | SubscriptionFact<
      'SubscriptionAmendmentScheduled',
      RequestedAmendment & { effectiveAt: Instant; at: Instant } & AtPeriodEnd
    >
  /** `replacedBy`: the newer change for the same instant; absent: somebody took it back. */
  | SubscriptionFact<'SubscriptionAmendmentCanceled', { amendmentId: string; replacedBy?: string }>
  /** When its time had come, the subscription had what it asks for already. */
  | SubscriptionFact<'SubscriptionAmendmentSkipped', { amendmentId: string; at: Instant; run: RunReference }>
  /** It could not be done any more when its time had come. */
  | SubscriptionFact<
      'SubscriptionAmendmentFailed',
      { amendmentId: string; at: Instant; code: string; message: string; run: RunReference }
    >
  /** Its terms from `at` on, with the period that is present then. `from` is the plan before. */
  | SubscriptionFact<
      'SubscriptionAmended',
      RequestedAmendment &
        SubscribedTerms & {
          at: Instant;
          from: { planId: string; planVersion: number };
          currency: string;
          period: BillingPeriod;
          bill: Bill | null;
          run: RunReference | null;
        }
    >
  /** A charge of one of its invoices failed, and the invoice is still to be paid. */
  | SubscriptionFact<'SubscriptionPaymentFailed', { invoiceId: string }>
  /** An invoice whose charge had failed is not owed any more. */
  | SubscriptionFact<'SubscriptionPaymentSettled', { invoiceId: string }>
  /** An invoice is void: what it charged was not paid, and what it gave back counts as billed again. */
  | SubscriptionFact<'SubscriptionInvoiceVoided', { invoiceId: string }>
  | DomainEvent<
      'SubscriptionCancellationScheduled',
      { subscriptionId: string; cancelAt: Instant } & AtPeriodEnd & WithCancelOptions
    >
  | SubscriptionFact<'SubscriptionCancellationWithdrawn', object>
  | SubscriptionFact<
      'SubscriptionCanceled',
      { at: Instant; reason: CancelReason; bill: Bill | null; run: RunReference | null } & WithCancelOptions
    >;
export const subscriptionEvents: EventCatalog<SubscriptionEvent> = {
  SubscriptionCreated: { version: 1, personal: { subject: 'customerId', fields: ['metadata'] } },
  SubscriptionStarted: v1,
  SubscriptionTrialEnded: v1,
  SubscriptionRenewed: v1,
  SubscriptionUsageBilled: v1,
  SubscriptionPauseScheduled: v1,
  SubscriptionPauseWithdrawn: v1,
  SubscriptionPaused: v1,
  SubscriptionResumptionScheduled: v1,
  SubscriptionResumed: v1,
  SubscriptionAmendmentScheduled: v1,
  SubscriptionAmendmentCanceled: v1,
  SubscriptionAmendmentSkipped: v1,
  SubscriptionAmendmentFailed: v1,
  SubscriptionAmended: v1,
  SubscriptionPaymentFailed: v1,
  SubscriptionPaymentSettled: v1,
  SubscriptionInvoiceVoided: v1,
  SubscriptionCancellationScheduled: v1,
  SubscriptionCancellationWithdrawn: v1,
  SubscriptionCanceled: v1,
};
