import type { DecimalString, Instant, PostalAddress } from '#libs/kernel/core';
import type {
  CardPaymentMethod,
  CustomField,
  TaxExemption,
  TestPaymentMethod,
} from '#libs/contexts/customers';
import { v1, type DomainEvent, type EventCatalog, type EventSpec } from '#libs/kernel/domain';
import type {
  AppliedTax,
  CommitmentReading,
  Discount,
  InvoiceLine,
  Period,
  ProrationBasis,
  RecountedCommitment,
} from '#libs/rating';
import type { CreditNoteDetails, CreditNoteReason } from './credit-notes/credit-note.js';
import type { GiveBack, AmountDueReduction } from './give-backs/give-back.js';
import type { RetryEndReason, RetryPlan, SubscriptionAction } from './payment-retries.js';
import type { RecordedPaymentMethod } from './recorded-payments/recorded-payment.js';
import type { InvoiceSettings } from './settings/events.js';

/**
 * The reason for an invoice. `cycle`: a period ended. `interim`: usage was invoiced on request before the period's end. `progressive`:
 * usage reached a threshold before the period's end. `final`: the subscription ended. `pause`, `resume`, `amendment`: the subscription
 * changed. `manual`: a user made the invoice. `credit_purchase`: the customer buys prepaid credits. `overage`: credits
 * that usage cost and the customer did not have, if no other invoice is due for the period.
 */
export const INVOICE_KINDS = [
  'cycle',
  'interim',
  'progressive',
  'final',
  'pause',
  'resume',
  'amendment',
  'manual',
  'credit_purchase',
  'overage',
] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

/** The credits that an invoice is for. */
export interface PurchasedBlock {
  creditType: string;
  blockId: string;
}

/** The fields of every invoice event. So each single event identifies the invoice, the customer and the total. */
export interface InvoiceReference {
  invoiceId: string;
  customerId: string;
  currency: string;
  total: DecimalString;
  /** Absent if the invoice is not for prepaid credits. */
  purchasedBlock?: PurchasedBlock;
}

/**
 * The parameters of one measurement of a metric's usage for an invoice. A measurement with the same parameters always has the same result.
 */
export interface UsageReading {
  metricId: string;
  metricVersion: number;
  start: Instant;
  end: Instant;
  /** The position in the usage log up to which the usage was counted. */
  watermark: string;
}

/**
 * A second measurement of usage that an earlier invoice of the subscription billed, because usage events came late. `since` is the
 * watermark of the earlier measurement, and `watermark` that of this one.
 */
export interface LateUsageReading extends UsageReading {
  /** The metric's version in the earlier measurement. If absent, it is the same version. */
  billedVersion?: number;
  /** The price that billed the usage. `period` is the price's full period, which contains `start` to `end`. */
  priceId: string;
  priceVersion: number;
  period: Period;
  /** The unit of parts of that period. If absent, it is time. */
  basis?: ProrationBasis;
  /** The invoice that first billed the usage. */
  invoiceId: string;
  /** The position in the usage log up to which the usage had been billed. */
  since: string;
  /**
   * The maximum amount that can be returned: the remaining amount of the earlier lines for the usage, after coupons, credit notes and
   * voids.
   */
  atMost: DecimalString;
}

/** The progress of the search for late usage of the subscription's earlier invoices. */
export interface LateUsageSearchProgress {
  /** The position in the usage log up to which all usage of the earlier invoices is billed. */
  through: string;
  /**
   * The time ranges that the earlier invoices measured. There is one range for each metric and version, from the first to the last instant.
   */
  spans: { metricId: string; metricVersion: number; start: Instant; end: Instant }[];
}

/** Prepaid credits that usage of a metric has used. An invoice shows them, but they change no amount. */
export interface CreditsUsed {
  creditType: string;
  /** The name of the credit type, as printed on the invoice. */
  creditTypeName: string;
  metricId: string;
  /** The name of the metric, as printed on the invoice. */
  metricName: string;
  /** The number of credits. */
  credits: DecimalString;
}

/** The discount of a coupon on an invoice. Each line has its own part of the amount. */
export interface InvoiceDiscount {
  redemptionId: string;
  couponId: string;
  /** The coupon's name, as printed on the invoice. */
  name: string;
  discount: Discount;
  /** The discount applies only to lines of these prices. If absent, it applies to the whole invoice. */
  priceIds?: string[];
  /** The discount applies only to lines of these subscriptions, if the invoice has several. If absent, it applies to all. */
  subscriptionIds?: string[];
  /**
   * The earlier invoice that used the coupon. It is set only if that invoice charged a fee that this invoice gives back. The unused part of
   * the discount is then carried over to the replacement of the fee. If absent, this invoice uses the coupon.
   */
  carriedFrom?: string;
  amount: DecimalString;
}

/** The data from which the charges of one subscription on an invoice were computed. */
export interface ChargeInputs {
  /** One reading for each metric and time range, including ranges without usage and so without a line. Absent if nothing is measured. */
  readings?: UsageReading[];
  /** One reading for each time range of earlier invoices whose usage has changed meanwhile. Absent if no usage has changed. */
  lateReadings?: LateUsageReading[];
  /** Absent if no earlier invoice measured anything. */
  lookBack?: LateUsageSearchProgress;
  /**
   * The reading of the plan's minimum commitment, also if nothing is missing. It is on the invoice that ends the commitment's interval;
   * absent on others.
   */
  commitment?: CommitmentReading;
  /** The minimum commitments of earlier invoices that were counted again because of late usage. Absent if there are none. */
  lateCommitments?: RecountedCommitment[];
  /** The unit of parts of a period. If absent, it is time. */
  basis?: ProrationBasis;
}

/** The part of one subscription on an invoice of several subscriptions. */
export interface InvoicePart extends ChargeInputs {
  subscriptionId: string;
  /** The name of the plan that is billed. It is printed above the subscription's lines. */
  planName: string;
  periodStart: Instant;
  periodEnd: Instant;
}

/** The data that an invoice is created with. Amounts are in `currency`. The amount of each line is rounded to the smallest unit. */
export interface InvoiceDetails extends InvoiceReference, ChargeInputs {
  /** `null` for an invoice without a subscription, and for an invoice of several subscriptions. */
  subscriptionId: string | null;
  /** One part for each subscription, with its readings. Absent if the invoice has only one subscription, or none. */
  parts?: InvoicePart[];
  kind: InvoiceKind;
  lines: InvoiceLine[];
  /** The prepaid credits with which usage was paid and that no earlier invoice shows. Absent if no credits were used. */
  creditsUsed?: CreditsUsed[];
  /**
   * The amount by which the give-backs exceed the charges. It reduces earlier invoices, and the rest goes to the customer's balance.
   * If absent, it is zero.
   */
  excess?: DecimalString;
  /** With `refund`, the part of the excess that was paid in money is refunded. If absent, the excess goes to the customer's balance. */
  excessTo?: 'refund';
  /** One discount for each coupon, in the order in which they were applied. Absent if no coupon was used. */
  discounts?: InvoiceDiscount[];
  /**
   * One tax for each rate. Inclusive taxes are contained in the lines, and the others are added to them. Absent if the invoice has no
   * taxes.
   */
  taxes?: AppliedTax[];
  /** The tax rates of the lines without tax rates of their own. If absent, they are all of `taxes`. */
  taxRateIds?: string[];
  /** The reason why the customer pays no tax. Absent if the customer is not exempt. Personal data. */
  taxExemption?: string;
  /** The kind of the tax exemption; absent if the customer is not exempt, or if the kind was not recorded. */
  taxExemptionType?: TaxExemption;
  periodStart: Instant;
  periodEnd: Instant;
  /** The instant at which the invoice was due to be billed. It is before `createdAt` if billing ran late. */
  billedAt: Instant;
  /** The name of the customer when the invoice was created. Personal data. */
  billToName: string;
  billToEmail: string | null;
  /** Absent if it is not known. Personal data. */
  billToAddress?: PostalAddress;
  billToTaxId?: string;
  /** The number of the customer's purchase order. Absent if the invoice has no such number. Personal data. */
  poNumber?: string;
  /** Fields that the customer wants to see on the printed invoice. Absent if the invoice has no such fields. Personal data. */
  customFields?: CustomField[];
  /** The seller's remark, which is printed on the invoice. */
  memo?: string;
  /** The customer's time zone. Periods are shown in this time zone. Dates are too, unless the settings have a time zone. */
  timezone: string;
  settings: InvoiceSettings;
}

/** The data that is added to a draft when it is opened. */
export interface InvoiceOpening {
  /**
   * The invoice number in the format of the settings, such as `INV-000042`. It is unique in the workspace, and the sequence of numbers has
   * no gaps.
   */
  number: string;
  /** The name of the workspace at the opening; `null` if it has no name. */
  sellerName: string | null;
  /** The amount that was taken from the customer's balance. The invoice uses at most its total. If absent, it is zero. */
  balance?: DecimalString;
}

/** The charged payment method, with all data that is needed to repeat the charge. */
export type ChargedPaymentMethod = TestPaymentMethod | CardPaymentMethod;

/** A dispute of a payment, as the payment processor reports it. */
export interface DisputeReport {
  /** The payment that is disputed. */
  attemptId: string;
  /** The id of the processor. */
  disputeId: string;
  amount: DecimalString;
  /** The reason and the status as the processor calls them, such as `fraudulent` and `needs_response`. */
  reason: string;
  status: string;
}

/** The fields of a draft that change when it is computed again with the present usage. */
export type RecomputedAmounts = Pick<
  InvoiceDetails,
  | 'lines'
  | 'parts'
  | 'readings'
  | 'lateReadings'
  | 'lookBack'
  | 'commitment'
  | 'lateCommitments'
  | 'discounts'
  | 'taxes'
  | 'taxRateIds'
  | 'total'
  | 'excess'
>;

type InvoiceEventOf<Type extends string, Data extends object> = DomainEvent<
  Type,
  InvoiceReference & { at: Instant } & Data
>;

/** `true` if the invoice had been marked uncollectible. Absent if it was open. */
interface WrittenOffFlag {
  writtenOff?: true;
}

/** What follows automatically after a charge that did not succeed. Absent if nothing follows. */
interface PlanAfterFailure {
  retries?: RetryPlan;
}

export type InvoiceEvent =
  | InvoiceEventOf<'InvoiceCreated', InvoiceDetails>
  | InvoiceEventOf<'DraftRecomputed', RecomputedAmounts>
  /**
   * `balanceApplied` is the part of the total that the customer's balance paid. `balanceCredited` is the excess of the invoice. Both are
   * zero if absent. `kind` is absent if it was not recorded.
   */
  | InvoiceEventOf<
      'InvoiceOpened',
      Omit<InvoiceOpening, 'balance'> & {
        kind?: InvoiceKind;
        dueDate: Instant;
        balanceApplied?: DecimalString;
        balanceCredited?: DecimalString;
      }
    >
  /** `retry` is the number of the planned retry, from 1. Absent if the payment is no planned retry. */
  | InvoiceEventOf<
      'PaymentStarted',
      {
        attemptId: string;
        attempt: number;
        retry?: number;
        amount: DecimalString;
        method: ChargedPaymentMethod;
      }
    >
  | InvoiceEventOf<
      'PaymentActionRequired',
      { attemptId: string; message: string } & WrittenOffFlag & PlanAfterFailure
    >
  | InvoiceEventOf<'PaymentConfirmed', { attemptId: string }>
  /** `attempt` is null in events that do not record it. `recovered` is true if an earlier attempt had failed. */
  | InvoiceEventOf<
      'PaymentSucceeded',
      {
        attemptId: string;
        attempt: number | null;
        amount: DecimalString;
        recovered?: true;
      } & WrittenOffFlag
    >
  | InvoiceEventOf<
      'PaymentFailed',
      { attemptId: string; attempt: number; code: string; message: string } & WrittenOffFlag &
        PlanAfterFailure
    >
  /** A retry was due, and the customer had no payment method. `attemptId` is the attempt after which it was planned. */
  | InvoiceEventOf<'PaymentRetrySkipped', { attemptId: string } & PlanAfterFailure>
  /** The invoice was still unpaid at the end of its retries. `attemptId` is the attempt after which they ended. */
  | InvoiceEventOf<
      'PaymentRetriesEnded',
      { attemptId: string; reason: RetryEndReason; subscription: SubscriptionAction }
    >
  /**
   * A payment outside the gateway was recorded, or the customer's balance paid. `amount` was received in total. `toBalance` is its part
   * above the amount due, which goes to the customer's balance; absent if there is none. `reference` is absent if none was given.
   */
  | InvoiceEventOf<
      'PaymentRecorded',
      {
        paymentId: string;
        amount: DecimalString;
        toBalance?: DecimalString;
        method: RecordedPaymentMethod;
        paidAt: Instant;
        reference?: string;
      } & WrittenOffFlag
    >
  /** A recorded payment was reversed. `reopens` is true if the invoice was paid until then. The amounts are those of the payment. */
  | InvoiceEventOf<
      'RecordedPaymentReversed',
      {
        paymentId: string;
        amount: DecimalString;
        toBalance?: DecimalString;
        method: RecordedPaymentMethod;
        reason: string;
        reopens?: true;
      } & WrittenOffFlag
    >
  /** The customer's balance is asked for `amount`. The invoice cannot be paid otherwise until it has answered. */
  | InvoiceEventOf<'BalancePaymentStarted', { paymentId: string; amount: DecimalString }>
  /** The balance held less than the amount of a started payment. */
  | InvoiceEventOf<'BalancePaymentFailed', { paymentId: string; amount: DecimalString }>
  /** `attemptId` is `null` if nothing was left to charge, or if a recorded payment paid the rest. */
  | InvoiceEventOf<'InvoicePaid', { attemptId: string | null }>
  | InvoiceEventOf<'CreditNoteIssued', { note: CreditNoteDetails }>
  /** `amount` is the total of the credit note. */
  | InvoiceEventOf<
      'CreditNoteNumbered',
      { creditNoteId: string; number: string; amount: DecimalString; reason: CreditNoteReason }
    >
  | InvoiceEventOf<'CreditNoteRefunded', { creditNoteId: string; amount: DecimalString }>
  /** The payment gateway refused the refund for good. `message` is what it said. The amount is still owed to the customer. */
  | InvoiceEventOf<
      'CreditNoteRefundRefused',
      { creditNoteId: string; amount: DecimalString; message: string }
    >
  /**
   * The refund failed after the payment gateway had accepted it, so the money is with the processor again. `message` says why.
   * `refundId` is the processor's id of the refund. The amount is owed to the customer again.
   */
  | InvoiceEventOf<
      'CreditNoteRefundFailed',
      { creditNoteId: string; refundId: string; amount: DecimalString; message: string }
    >
  /** `amount` is the total of the credit note. `reason` is the reason for the void; null if no reason was given. */
  | InvoiceEventOf<
      'CreditNoteVoided',
      { creditNoteId: string; number: string; amount: DecimalString; reason: string | null }
    >
  /** A later invoice gives back parts of these lines. If the same later invoice had an earlier record, it was undone first. */
  | InvoiceEventOf<'InvoiceLinesGivenBack', GiveBack>
  /** A give-back was undone, because the later invoice was voided or recomputed. `byInvoiceId` is the later invoice. */
  | InvoiceEventOf<'InvoiceGiveBackReturned', { byInvoiceId: string }>
  /** A later invoice gave back more than it charged. The excess reduces the amount due of this invoice. */
  | InvoiceEventOf<'InvoiceReduced', AmountDueReduction & WrittenOffFlag>
  /**
   * A later invoice gave back more than it charged. The excess will be refunded from the payment of this invoice. `byInvoiceId` is the
   * later invoice.
   */
  | InvoiceEventOf<'PaymentRefundStarted', { byInvoiceId: string; amount: DecimalString }>
  /** The payment gateway has accepted the refund for the later invoice `byInvoiceId`. */
  | InvoiceEventOf<'PaymentRefunded', { byInvoiceId: string; amount: DecimalString }>
  /**
   * The payment gateway refused the refund for the later invoice `byInvoiceId` for good. `message` is what it said. The amount goes to the
   * customer's balance.
   */
  | InvoiceEventOf<'PaymentRefundRefused', { byInvoiceId: string; amount: DecimalString; message: string }>
  /**
   * The refund for the later invoice `byInvoiceId` failed after the payment gateway had accepted it, so the money is with the processor
   * again. `message` says why, `refundId` is the id of the processor. The amount goes to the customer's balance.
   */
  | InvoiceEventOf<
      'PaymentRefundFailed',
      { byInvoiceId: string; refundId: string; amount: DecimalString; message: string }
    >
  /** The customer's bank disputes a payment, and holds the money until it decides. */
  | InvoiceEventOf<'PaymentDisputed', DisputeReport>
  /** The bank has decided. The money of a lost dispute (`status: lost`) is gone; otherwise it stays with the seller. */
  | InvoiceEventOf<'PaymentDisputeClosed', DisputeReport>
  /** A refund that was made at the payment processor itself, not through the API. `refundId` is the id of the processor. */
  | InvoiceEventOf<'GatewayRefundFound', { attemptId: string; refundId: string; amount: DecimalString }>
  /**
   * A refund that the invoice did not ask for failed, so the money is with the processor again. `message` says why. The refund was made at
   * the processor itself, or (`unneeded`) it was of a charge that the invoice did not need, and whose payment was never recorded.
   */
  | InvoiceEventOf<
      'GatewayRefundFailed',
      { attemptId: string; refundId: string; amount: DecimalString; message: string; unneeded?: true }
    >
  /** `amount` is the amount due that was written off. */
  | InvoiceEventOf<'InvoiceMarkedUncollectible', { amount: DecimalString }>
  /** `number` is `null` if the invoice was a draft, which had no number. */
  | InvoiceEventOf<'InvoiceVoided', { number: string | null; reason: string | null }>;

/** The fields of an invoice that say who pays it, or that a user wrote. They are encrypted in its first event. */
export const PERSONAL_INVOICE_FIELDS: readonly string[] = [
  ...['billToName', 'billToEmail', 'billToAddress', 'billToTaxId', 'taxExemption'],
  ...['poNumber', 'customFields', 'memo'],
];

/** Tells whether a user wrote the descriptions of the lines. Other lines have the names of prices. */
export function hasUserDescriptions(kind: unknown): boolean {
  return kind === 'manual' || kind === 'credit_purchase';
}

/** An event with one text that a user wrote about the customer. */
function sealed(field: string): EventSpec {
  return { version: 1, personal: { subject: 'customerId', fields: [field] } };
}

export const invoiceEvents: EventCatalog<InvoiceEvent> = {
  InvoiceCreated: {
    version: 1,
    personal: {
      subject: 'customerId',
      fields: PERSONAL_INVOICE_FIELDS,
      fieldsIf: ({ kind }) => (hasUserDescriptions(kind) ? ['lines.*.description'] : []),
    },
  },
  DraftRecomputed: v1,
  InvoiceOpened: v1,
  PaymentStarted: sealed('method.label'),
  PaymentActionRequired: v1,
  PaymentConfirmed: v1,
  PaymentSucceeded: v1,
  PaymentFailed: v1,
  PaymentRetrySkipped: v1,
  PaymentRetriesEnded: v1,
  PaymentRecorded: sealed('reference'),
  RecordedPaymentReversed: sealed('reason'),
  BalancePaymentStarted: v1,
  BalancePaymentFailed: v1,
  InvoicePaid: v1,
  CreditNoteIssued: sealed('note.memo'),
  CreditNoteNumbered: v1,
  CreditNoteRefunded: v1,
  CreditNoteRefundRefused: v1,
  CreditNoteRefundFailed: v1,
  CreditNoteVoided: sealed('reason'),
  InvoiceLinesGivenBack: v1,
  InvoiceGiveBackReturned: v1,
  InvoiceReduced: v1,
  PaymentRefundStarted: v1,
  PaymentRefunded: v1,
  PaymentRefundRefused: v1,
  PaymentRefundFailed: v1,
  PaymentDisputed: v1,
  PaymentDisputeClosed: v1,
  GatewayRefundFound: v1,
  GatewayRefundFailed: v1,
  InvoiceMarkedUncollectible: v1,
  InvoiceVoided: sealed('reason'),
};
