import type { BillingThresholds } from '#libs/contexts/catalog';
import type { LicenseCounts } from '#libs/contexts/licenses';
import type { Instant, NameTranslations } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type {
  Charge,
  ItemToCharge,
  MinimumCommitment,
  NumberedPeriod,
  Period,
  PlanCommitment,
  PriceSnapshot,
  RecurringCadence,
} from '#libs/rating';
import type { PriceMap } from './price-map.js';
import type { Quantities } from './quantities.js';

/**
 * A billing period with its number. The charged period that begins at the anchor instant has the number 0. A trial, and the empty period of
 * a pending subscription, also have the number 0.
 */
export type BillingPeriod = NumberedPeriod;

/** A price of the subscription, in the version that the subscription keeps. */
export interface SubscriptionItem extends ItemToCharge {
  /**
   * The fees in advance that this item replaced in an unprorated change. The item is charged from the end of the time that those fees
   * cover. Absent if there are none, and after the item has been charged.
   */
  readonly waitsFor?: readonly FeeReference[];
}

/** A reference to a fee that an invoice charged in advance. */
export interface FeeReference {
  readonly invoiceId: string;
  readonly priceId: string;
  /** The time that the fee covers. */
  readonly service: Period;
}

/** The plan of a bill, as its invoice names it. */
export interface BilledPlan {
  readonly planId: string;
  readonly planName: string;
  readonly planNameTranslations?: NameTranslations | undefined;
}

/** The terms of a subscription. Later changes of the plan and its prices do not affect the terms of a subscription. */
export interface SubscribedTerms {
  planId: string;
  planVersion: number;
  planName: string;
  /** The name of the plan in other languages. Absent if there are none. */
  planNameTranslations?: NameTranslations | undefined;
  /** The instant of boundary 0. All other period boundaries are counted from this instant. */
  anchor: Instant;
  billingInterval: RecurringCadence;
  /** The minimum amount that is charged for each billing period or commitment interval. Absent if there is none. */
  minimumCommitment?: MinimumCommitment | undefined;
  /** The plan's thresholds for invoices before the end of a period. Absent if there are none. */
  billingThresholds?: BillingThresholds | undefined;
  items: SubscriptionItem[];
}

/** A plan to subscribe to, in its current version. */
export interface SubscribedPlan {
  planId: string;
  planVersion: number;
  planName: string;
  /** The name of the plan in other languages. Absent if there are none. */
  planNameTranslations?: NameTranslations | undefined;
  currency: string;
  /** The minimum amount that is charged for each billing period or commitment interval. Absent if there is none. */
  minimumCommitment?: MinimumCommitment | undefined;
  /** The thresholds for invoices before the end of a period. Absent if there are none. */
  billingThresholds?: BillingThresholds | undefined;
  prices: PriceSnapshot[];
}

/** A change of a subscription's terms. The prices of a change are in the versions that the subscription will keep. */
export interface TermsChange {
  /**
   * The new plan. Its prices replace the prices of the present plan. Prices that were added to the subscription stay, and prices that were
   * removed from it stay away. If null, the subscription stays on its plan.
   */
  plan: SubscribedPlan | null;
  /** Prices to add. A price that the subscription or the new plan already has is replaced by the given version. */
  addPrices: PriceSnapshot[];
  /** The ids of the prices to remove from the subscription, or from the prices of the new plan. */
  removePrices: string[];
  /**
   * The units of fees. A fee that is not listed keeps its units. A new fee that is not listed has the units of the fee whose place it takes,
   * or else one unit. A price for licenses cannot be listed, because its units are the counted seats.
   */
  quantities: Quantities;
  /** Says which fees take the place of fees that end, where it is not certain otherwise. Absent if the request did not say it. */
  priceMap?: PriceMap;
}

/** A fee that takes the place of another fee, which ends with a change of terms. Both are price ids. */
export interface FeeReplacement {
  readonly from: string;
  readonly to: string;
}

/**
 * `amend` is a change that a user, or a customer in the portal, requested. `migrate` is the move to a newer version of the same plan.
 * `price_migration` is the move of many subscriptions to another plan.
 */
export const AMENDMENT_KINDS = ['amend', 'migrate', 'price_migration'] as const;
export type AmendmentKind = (typeof AMENDMENT_KINDS)[number];

/** A requested change of terms. */
export interface RequestedAmendment {
  amendmentId: string;
  kind: AmendmentKind;
  change: TermsChange;
  /** Tells whether partial periods are charged and given back in proportion to time. */
  prorate: boolean;
  /** The price migration that made the change. Absent if no price migration made the change, or if the event is older than this field. */
  migrationId?: string;
}

/** Details of a subscription that can be changed and charge nothing by themselves. */
export interface SubscriptionDetails {
  metadata: Record<string, unknown>;
  /** The integrator's own id for the subscription. Null if it was taken away. */
  externalId: string | null;
  /** The subscription's own thresholds, which replace the plan's. If null, there are none. */
  ownBillingThresholds: BillingThresholds | null;
}

/** A claim of a subscription to an external id, without the external id itself, which can be personal data. */
export interface ClaimedExternalId {
  /** The id of the external id's stream in the workspace: a hash of the external id. */
  hash: string;
  /** The request by which the subscription took the external id last. */
  claimId: string;
}

/** The agreement that a subscription was created with. The terms of the agreement can be changed later. */
export interface SubscriptionAgreement extends SubscribedTerms {
  subscriptionId: string;
  customerId: string;
  currency: string;
  /** The time zone that determines the subscription's billing periods. */
  timezone: string;
  /** The chosen day of the month on which billing periods begin. Null if none was chosen. */
  anchorDay: number | null;
  /** The start of the subscription, or of its trial if it has one. */
  startedAt: Instant;
  /** The instant at which the trial ends and the first charged period begins. Null without a trial. */
  trialEnd: Instant | null;
  createdAt: Instant;
  /**
   * The subscription's own thresholds, which replace the plan's `billingThresholds`. If null, there are none. If absent, the plan's
   * thresholds apply.
   */
  ownBillingThresholds?: BillingThresholds | null | undefined;
  /** The customer's licenses, as the subscription has counted them so far. Absent if the subscription has never counted licenses. */
  licenses?: LicenseCounts | undefined;
  metadata: Record<string, unknown>;
  /**
   * The integrator's own id for the subscription, unique in the workspace. `subscriptionId` is derived from the one that the subscription
   * was created with. Absent if there is none.
   */
  externalId?: string | undefined;
  /**
   * Identifies the command that created a subscription with an external id. Other commands with the same external id have another value.
   */
  createdBy?: string | undefined;
}

/**
 * The phase of a subscription. `pending`: the subscription starts in the future. `trialing`: the subscription is in its free trial.
 * `active`: it is billed. `paused`: the subscription is not billed until it is resumed. `canceled`: it has ended.
 */
export type SubscriptionPhase = 'pending' | 'trialing' | 'active' | 'paused' | 'canceled';

/**
 * `cycle` is the bill at the start of the first charged period, and at each boundary of two periods. `interim` is a bill that was requested
 * within a period. `progressive` is a bill within a period that is made because usage reached a threshold. `final` is the bill at the
 * subscription's end. The bill kinds `pause`, `resume` and `amendment` are named after the change that causes the bill. The bill for seats
 * that are added within a period is an `amendment` too. A change of terms at a boundary has a `cycle` bill.
 */
export type BillKind = 'cycle' | 'interim' | 'progressive' | 'final' | 'pause' | 'resume' | 'amendment';

/**
 * The charges of a subscription on one invoice, without the quantities of usage. The quantities of usage are measured when the invoice is
 * made. A bill includes all its terms, so its meaning does not depend on later changes.
 */
export interface Bill {
  readonly invoiceId: string;
  readonly kind: BillKind;
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  /**
   * The instant of the bill: a period boundary, the instant of the change, or the end of the subscription. An `interim` or `progressive`
   * bill has the time at which it was decided.
   */
  readonly billedAt: Instant;
  /**
   * The start of the time that the bill covers. A bill at a boundary covers the period that ends there. These bills cover the period that
   * begins: the bill of the first charged period, of a resumption, and of a change within a period that starts new periods.
   */
  readonly periodStart: Instant;
  /** The end of the time that the bill covers. */
  readonly periodEnd: Instant;
  readonly charges: Charge[];
  /**
   * The minimum commitment that the bill settles: the bill charges the amount that is missing to the minimum. Absent if the bill settles no
   * commitment.
   */
  readonly commitment?: PlanCommitment;
  /** True if charges in arrears are waived. The invoice then has no lines for late usage either. Absent otherwise. */
  readonly waives?: true;
  /**
   * If the bill gives back more than it charges, `refund` refunds the part of the excess that was paid in money. With `open_invoices`, the
   * excess pays open invoices of the customer, whatever the billing settings say. If absent, the excess goes to the customer's balance.
   */
  readonly excessTo?: 'refund' | 'open_invoices';
  /**
   * The plan of the bill. The plan is present if the bill is on an invoice that the customer's other subscriptions can share. If absent,
   * the bill has a separate invoice.
   */
  readonly consolidated?: BilledPlan;
}

/** The billing run that applied a due change. It is a run on request, or the scheduled run at the instant of the change. */
export interface RunReference {
  runId: string;
  trigger: 'manual' | 'schedule';
}

/**
 * The reason for the end of a subscription. Only events of earlier versions have `customer_deleted`, for a customer who was deleted while
 * the subscription was being created.
 */
export type CancelReason = 'requested' | 'customer_deleted';

/**
 * The ways to credit the unused part of prepaid fees at the end of a subscription. `balance`: the last invoice gives back the unused part
 * of prepaid fees. The credit reduces the last invoice and other unpaid invoices, and what is left goes to the customer's balance.
 * `refund`: like `balance`, but what is left is refunded, as far as it was paid in money. `none`: nothing is given back.
 */
export const CANCEL_CREDITS = ['balance', 'refund', 'none'] as const;
export type CancelCredit = (typeof CANCEL_CREDITS)[number];

/** How a subscription ends. */
export interface CancelOptions {
  credit: CancelCredit;
  /**
   * Tells whether charges in arrears (usage and a share of fees) are invoiced. If false, they are waived, with the amount that is missing
   * to the minimum commitment.
   */
  finalInvoice: boolean;
}

/** The default options of a cancellation. */
export const DEFAULT_CANCEL_OPTIONS: CancelOptions = { credit: 'balance', finalInvoice: true };

/** The options of a cancellation. Absent if the cancellation has the default options. */
interface WithCancelOptions {
  options?: CancelOptions;
}

/**
 * Marks a change that is planned for the end of the period, and that moves with this end. If absent, the change takes effect at a fixed
 * instant.
 */
interface AtPeriodEnd {
  atPeriodEnd?: true;
}

/**
 * The fees that a change ends and whose invoices are void. Such fees were not paid, so nothing is given back for them. Absent if there are
 * none.
 */
export interface EndedVoidFees {
  endedVoidFees?: FeeReference[];
}

type SubscriptionFact<Type extends string, Data extends object> = DomainEvent<
  Type,
  { subscriptionId: string; customerId: string } & Data
>;

/**
 * Each event that leads to an invoice carries the whole bill. The bill is decided on the subscription's stream. The invoice is created from
 * the bill, perhaps late or after several attempts. `at` is the instant at which the change took effect. In `SubscriptionCreated` and
 * `SubscriptionAmendmentScheduled`, `at` is the time of the request. The time `at` of a due change that was applied late is before the
 * event's own time. `run` is the billing run that applied the change. `run` is null for a change that took effect when it was requested.
 */
export type SubscriptionEvent =
  /**
   * `phase` is the subscription's phase after its creation. A pending subscription has an empty period, which ends at the subscription's
   * start.
   */
  | DomainEvent<
      'SubscriptionCreated',
      { at: Instant } & Omit<SubscriptionAgreement, 'createdAt'> & {
          phase: 'pending' | 'trialing' | 'active';
          period: BillingPeriod;
          bill: Bill | null;
        }
    >
  /** A subscription that was pending has started: its trial or its first charged period begins. */
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
  /**
   * `items` are the items after the renewal, present if the customer has fewer seats than in the period before. If absent, the items stay.
   */
  | SubscriptionFact<
      'SubscriptionRenewed',
      { period: BillingPeriod; bill: Bill | null; run: RunReference; items?: SubscriptionItem[] }
    >
  /** Licenses of the customer were allocated or deactivated. `items` are the subscription's items from the instant `at` on. */
  | SubscriptionFact<
      'SubscriptionLicensesCounted',
      {
        at: Instant;
        licenses: LicenseCounts;
        items: SubscriptionItem[];
        bill: Bill | null;
      } & EndedVoidFees
    >
  | DomainEvent<'SubscriptionUsageBilled', { subscriptionId: string; through: Instant; bill: Bill }>
  /** The subscription will be paused at `pauseAt`. The paused subscription will be resumed at `resumeAt`, unless `resumeAt` is null. */
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
  /** The subscription continues with a new period. If the trial was not over, the new period is the rest of the trial. */
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
  /**
   * `replacedBy` is the id of the newer change for the same instant. If `replacedBy` is absent, a user canceled the change. The end of the
   * subscription cancels its scheduled changes without this event.
   */
  | SubscriptionFact<'SubscriptionAmendmentCanceled', { amendmentId: string; replacedBy?: string }>
  /**
   * The change was skipped. The subscription already had the requested terms, or had left the plan whose newer version was requested.
   */
  | SubscriptionFact<'SubscriptionAmendmentSkipped', { amendmentId: string; at: Instant; run: RunReference }>
  /** The change was no longer possible when it was due. */
  | SubscriptionFact<
      'SubscriptionAmendmentFailed',
      { amendmentId: string; at: Instant; code: string; message: string; run: RunReference }
    >
  /**
   * The terms from `at` on. `period` is the present billing period, which contains `at`. For a paused or pending subscription, `period`
   * does not change and does not contain `at`. `from` is the subscription's plan before the change.
   */
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
          /**
           * The fees that take the place of fees that end with the change. Absent if there are none, and in events that are older than this
           * field.
           */
          replacements?: FeeReplacement[];
          /**
           * Marks a change at the end of a billing period. If absent, the change is within a period, or the subscription was not active at
           * that time.
           */
          endsPeriod?: true;
        } & EndedVoidFees
    >
  /**
   * An invoice of the subscription became overdue: its last finished charge failed, or the invoice was written off. The invoice is still
   * owed.
   */
  | SubscriptionFact<'SubscriptionPaymentFailed', { invoiceId: string }>
  /** An overdue invoice of the subscription is no longer overdue, because it was paid or voided, or is being charged again. */
  | SubscriptionFact<'SubscriptionPaymentSettled', { invoiceId: string }>
  /**
   * An invoice that charged or gave back fees for future time was voided. The prepaid fees that the voided invoice charged are treated as
   * unpaid. The fees that it gave back are treated as if they had not been given back. The void of any other invoice has no such event.
   */
  | SubscriptionFact<'SubscriptionInvoiceVoided', { invoiceId: string }>
  | DomainEvent<
      'SubscriptionCancellationScheduled',
      { subscriptionId: string; cancelAt: Instant } & AtPeriodEnd & WithCancelOptions
    >
  | SubscriptionFact<'SubscriptionCancellationWithdrawn', object>
  /**
   * Details that charge nothing by themselves were changed. The event has only the changed details. `formerExternalId` is the external id
   * that must be released. It is absent if the subscription had none, and in events of earlier versions.
   */
  | SubscriptionFact<
      'SubscriptionDetailsChanged',
      { at: Instant; formerExternalId?: ClaimedExternalId } & Partial<SubscriptionDetails>
    >
  | SubscriptionFact<
      'SubscriptionCanceled',
      { at: Instant; reason: CancelReason; bill: Bill | null; run: RunReference | null } & WithCancelOptions
    >;
export const subscriptionEvents: EventCatalog<SubscriptionEvent> = {
  SubscriptionCreated: {
    version: 1,
    personal: { subject: 'customerId', fields: ['metadata', 'externalId'] },
  },
  SubscriptionStarted: v1,
  SubscriptionTrialEnded: v1,
  SubscriptionRenewed: v1,
  SubscriptionLicensesCounted: v1,
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
  SubscriptionDetailsChanged: {
    version: 1,
    personal: { subject: 'customerId', fields: ['metadata', 'externalId'] },
  },
  SubscriptionCanceled: v1,
};
