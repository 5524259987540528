import type {
  DecimalString,
  EInvoiceProfile,
  ElectronicAddress,
  Instant,
  PostalAddress,
  NameTranslations,
} from '#libs/kernel/core';
import type {
  CardPaymentMethod,
  CustomField,
  TaxExemption,
  TestPaymentMethod,
} from '#libs/contexts/customers';
import { v1, type DomainEvent, type EventCatalog, type EventSpec } from '#libs/kernel/domain';
import type {
  AppliedTax,
  ComputedCommitment,
  Discount,
  InvoiceLine,
  Period,
  ProrationBasis,
  RecountedCommitment,
} from '#libs/rating';
import type { CreditNoteDetails, CreditNoteReason } from './credit-notes/credit-note.js';
import type {
  GiveBack,
  AmountDueReduction,
  ExcessOfReturn,
  ReturnedAmounts,
} from './give-backs/give-back.js';
import type { RetryEndReason, RetryPlan, UnpaidSubscriptionAction } from './payment-retries.js';
import type { RecordedPaymentMethod } from './recorded-payments/recorded-payment.js';
import type { InvoiceSettings } from './settings/events.js';

/**
 * The reason for an invoice. `cycle`: the first charged period began, or a period ended. `interim`: usage was invoiced on request before
 * the period's end. `progressive`: usage reached a threshold before the period's end. `final`: the subscription ended. `pause`, `resume`,
 * `amendment`: the subscription changed, or licenses were allocated that it charges for (`amendment`). `manual`: a user created the
 * invoice. `credit_purchase`: the customer buys prepaid credits. `overage`: the invoice bills credits that usage cost beyond the customer's
 * credits, if no other invoice is due for the period.
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

/** A block of prepaid credits that a customer buys with an invoice. The fields are stored in events. */
export interface PurchasedBlock {
  creditType: string;
  /** The id of the block in the customer's wallet. */
  blockId: string;
}

/** The fields of every invoice event. With these fields, each single event identifies the invoice, the customer and the total. */
export interface InvoiceReference {
  invoiceId: string;
  customerId: string;
  currency: string;
  /** The amount of the invoice, after discounts and with taxes, before payments and the customer's balance. */
  total: DecimalString;
  /** The block of prepaid credits that the customer buys with the invoice. Absent if the invoice is not for a purchase of credits. */
  purchasedBlock?: PurchasedBlock;
}

/**
 * The parameters of one measurement of a metric's usage for an invoice. A measurement with the same parameters always has the same result.
 */
export interface UsageReading {
  metricId: string;
  metricVersion: number;
  /** The usage between `start` and `end` was measured. */
  start: Instant;
  end: Instant;
  /** The position in the usage log up to which the usage was counted. */
  watermark: string;
}

/**
 * A second measurement of usage that an earlier invoice of the subscription billed, because usage events came late. `since` is the log
 * position of the earlier measurement, and `watermark` is the log position of the second measurement.
 */
export interface LateUsageReading extends UsageReading {
  /**
   * The version of the metric (not of the price) in the earlier measurement. If absent, both measurements use the same version of the
   * metric.
   */
  billedVersion?: number;
  /** The price that billed the usage. `period` is the price's full period, which contains `start` to `end`. */
  priceId: string;
  priceVersion: number;
  period: Period;
  /** The unit in which parts of the period are measured: time or days. If absent, it is time. */
  basis?: ProrationBasis;
  /** The invoice that first billed the usage. */
  invoiceId: string;
  /** The position in the usage log up to which the usage had been billed. */
  since: string;
  /**
   * The maximum amount that can be returned: what the earlier lines charged for the usage, less coupons, credit notes, earlier give-backs
   * and voids.
   */
  atMost: DecimalString;
}

/** The progress of the search for late usage events in the periods of the subscription's earlier invoices. */
export interface LateUsageSearchProgress {
  /** The position in the usage log up to which all usage of the earlier invoices is billed. */
  through: string;
  /**
   * The time ranges that the earlier invoices measured. One time range is stored for each metric and version, from the first to the last
   * measured instant.
   */
  spans: { metricId: string; metricVersion: number; start: Instant; end: Instant }[];
}

/** Prepaid credits that usage of a metric has used. An invoice shows the used credits, but they change no amount. */
export interface CreditsUsed {
  creditType: string;
  /** The name of the credit type, as printed on the invoice. */
  creditTypeName: string;
  /** The name of the credit type in other languages. Absent if there are none. */
  creditTypeNameTranslations?: NameTranslations;
  metricId: string;
  /** The name of the metric, as printed on the invoice. */
  metricName: string;
  /** The name of the metric in other languages. Absent if there are none, and on invoices of earlier versions. */
  metricNameTranslations?: NameTranslations;
  /** The number of credits. */
  credits: DecimalString;
}

/** The discount of a coupon on an invoice. Each invoice line has its own part of the discount amount. */
export interface InvoiceDiscount {
  /** The id of the redemption, which is the customer's coupon that gives the discount. */
  redemptionId: string;
  couponId: string;
  /** The coupon's name, as printed on the invoice. */
  name: string;
  /** The coupon's name in other languages. Absent if there are none. */
  nameTranslations?: NameTranslations;
  /** The terms of the coupon: a percentage or a fixed amount. */
  discount: Discount;
  /** The ids of the prices whose lines get the discount. If absent, the discount applies to the whole invoice. */
  priceIds?: string[];
  /**
   * The ids of the subscriptions whose lines get the discount, if the invoice has several subscriptions. If absent, the discount applies to
   * all subscriptions of the invoice.
   */
  subscriptionIds?: string[];
  /**
   * The end of a coupon for months. A fee is discounted only for its time before this end. If absent, each line is discounted as a whole.
   */
  endsAt?: Instant;
  /**
   * The earlier invoice that used the coupon. `carriedFrom` is set only if the earlier invoice charged a fee that this invoice gives back.
   * The unused part of the discount is carried over to the fee that replaces the fee of the earlier invoice. If absent, this invoice uses
   * the coupon.
   */
  carriedFrom?: string;
  /** The amount that the discount takes off this invoice. */
  amount: DecimalString;
}

/** The data from which the charges of one subscription on an invoice were computed. */
export interface ChargeInputs {
  /** One usage reading for each metric and time range, also for ranges without usage. Absent if nothing is measured. */
  readings?: UsageReading[];
  /** One usage reading for each time range of earlier invoices whose usage has changed meanwhile. Absent if no usage has changed. */
  lateReadings?: LateUsageReading[];
  /**
   * The progress of the search for late usage events. If no earlier invoice measured usage, `spans` is empty. Absent on invoices without a
   * subscription, and on some invoices of earlier versions.
   */
  lookBack?: LateUsageSearchProgress;
  /**
   * The result of the plan's minimum commitment, which is stored even if the charges reach the commitment. Only the invoice that ends the
   * commitment's interval has this result.
   */
  commitment?: ComputedCommitment;
  /**
   * The minimum commitments of earlier invoices that were computed again because of late usage. Absent if no commitment was computed again.
   */
  lateCommitments?: RecountedCommitment[];
  /** The unit in which parts of a period are measured: time or days. If absent, it is time. */
  basis?: ProrationBasis;
}

/** The part of one subscription on an invoice of several subscriptions. */
export interface InvoicePart extends ChargeInputs {
  subscriptionId: string;
  /** The name of the plan that is billed. The plan name is printed above the subscription's lines. */
  planName: string;
  /** The name of the plan in other languages. Absent if there are none. */
  planNameTranslations?: NameTranslations;
  /** The start of the billed period. At a renewal, the billed period is the one that has ended. Each line has its own period. */
  periodStart: Instant;
  periodEnd: Instant;
}

/**
 * The data with which an invoice is created. Amounts are in `currency`. The amount of each line is rounded to the smallest currency unit.
 */
export interface InvoiceDetails extends InvoiceReference, ChargeInputs {
  /** `null` for an invoice without a subscription, and for an invoice of several subscriptions. */
  subscriptionId: string | null;
  /** One part of the invoice for each subscription, with its usage readings. Absent if the invoice has only one subscription, or none. */
  parts?: InvoicePart[];
  kind: InvoiceKind;
  lines: InvoiceLine[];
  /** The prepaid credits with which usage was paid and that no earlier invoice shows. Absent if no credits were used. */
  creditsUsed?: CreditsUsed[];
  /**
   * The amount by which the invoice gives back more than it charges. The excess reduces the amounts due of earlier invoices. The rest goes
   * to the customer's balance, or is refunded as `excessTo` says. If absent, it is zero.
   */
  excess?: DecimalString;
  /**
   * With `refund`, the part of that rest that was paid in money is refunded. With `open_invoices`, the rest goes to the balance and pays open
   * invoices of the customer from there, whatever the billing settings say. If absent, the rest goes to the customer's balance.
   */
  excessTo?: 'refund' | 'open_invoices';
  /** One discount for each coupon, in the order in which they were applied. Absent if no coupon was used. */
  discounts?: InvoiceDiscount[];
  /**
   * One tax for each rate. Inclusive taxes are contained in the line amounts, and exclusive taxes are added to them. Absent if the invoice
   * has no taxes.
   */
  taxes?: AppliedTax[];
  /** The ids of the tax rates for lines that have no tax rates of their own. If absent, all rates in `taxes` apply to these lines. */
  taxRateIds?: string[];
  /** The reason why the customer pays no tax. Absent if the customer is not exempt. Personal data. */
  taxExemption?: string;
  /** The kind of the tax exemption; absent if the customer is not exempt, or if the kind was not recorded. */
  taxExemptionType?: TaxExemption;
  /**
   * The start of the billed period. If several periods are billed, it is the earliest start. At a renewal, the billed period is the one
   * that has ended. Each line has its own period.
   */
  periodStart: Instant;
  periodEnd: Instant;
  /** The instant at which the invoice was due to be created. `billedAt` is before `createdAt` if billing ran late. */
  billedAt: Instant;
  /** The name of the customer when the invoice was created. Personal data. */
  billToName: string;
  /** The e-mail address for the invoice; null if the customer has none. Personal data. */
  billToEmail: string | null;
  /** Absent if the customer's address is not known. Personal data. */
  billToAddress?: PostalAddress;
  /** The customer's tax number. Absent if it is not known. Personal data. */
  billToTaxId?: string;
  /** The number of the customer's purchase order. Absent if the invoice has no purchase order number. Personal data. */
  poNumber?: string;
  /** The reference that the customer needs on its e-invoices (BT-10). Absent if there is none. Personal data. */
  buyerReference?: string;
  /** The customer's address in a network for e-invoices (BT-49). Absent if it is `billToEmail`. Personal data. */
  billToElectronicAddress?: ElectronicAddress;
  /** The specification that the e-invoice keeps to, unless a request names another one. If absent, it is EN 16931 alone. */
  eInvoiceProfile?: EInvoiceProfile;
  /** Fields that the customer wants to see on the printed invoice. Absent if the invoice has no custom fields. Personal data. */
  customFields?: CustomField[];
  /** The seller's remark, which is printed on the invoice. */
  memo?: string;
  /**
   * The customer's time zone. Periods are shown in the customer's time zone. Dates are also shown in the customer's time zone, unless the
   * settings name another time zone.
   */
  timezone: string;
  settings: InvoiceSettings;
}

/** The data that is added to a draft when it is opened. */
export interface InvoiceOpening {
  /**
   * The invoice number in the format of the settings, such as `INV-000042`. The invoice number is unique in the workspace, and the sequence
   * of numbers has no gaps.
   */
  number: string;
  /** The name of the workspace when the invoice was opened; `null` if the workspace has no name. */
  sellerName: string | null;
  /**
   * The amount that was taken from the customer's balance. If the taken amount exceeds the total of the invoice, the rest goes back to the
   * balance. If absent, it is zero.
   */
  balance?: DecimalString;
}

/** The charged payment method, with all data that is needed to repeat the charge. */
export type ChargedPaymentMethod = TestPaymentMethod | CardPaymentMethod;

/** A dispute of a payment, as the payment processor reports it. */
export interface DisputeReport {
  /** The payment that is disputed. */
  attemptId: string;
  /** The payment processor's id of the dispute. */
  disputeId: string;
  /** The disputed amount. */
  amount: DecimalString;
  /** The payment processor's names for the reason and the status, such as `fraudulent` and `needs_response`. */
  reason: string;
  status: string;
}

/** The fields of a draft that change when the draft is computed again with the current usage. */
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

/** `true` if the invoice had been written off before the event. Absent if it was never written off. */
interface WrittenOffFlag {
  writtenOff?: true;
}

/**
 * The part of the invoice's lines that went back at the payment processor. Absent in events of earlier versions, and if nothing went back.
 * For an event of an earlier version, the part is computed from the state of the invoice.
 */
interface ReturnedPart {
  returned?: ReturnedAmounts;
}

/**
 * The automatic next step after a charge that did not succeed. `retries` says when the next retry is due, or that there are no more retries
 * and what happens then. `retries` is absent if nothing follows.
 */
interface PlanAfterFailure {
  retries?: RetryPlan;
}

export type InvoiceEvent =
  | InvoiceEventOf<'InvoiceCreated', InvoiceDetails>
  | InvoiceEventOf<'DraftRecomputed', RecomputedAmounts>
  /**
   * `balanceApplied` is the part of the total that the customer's balance paid. It is below zero if the balance was: the invoice collects
   * this debt beside its total. `balanceCredited` is the excess of the invoice. An absent
   * `balanceApplied` or `balanceCredited` is zero. `kind` is absent if it was not recorded.
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
  /**
   * `retry` is the number of the planned retry, from 1. `retry` is absent if the payment is not a planned retry. `chosenMethod` is true if
   * the customer chose `method` for this payment in place of the default payment method.
   */
  | InvoiceEventOf<
      'PaymentStarted',
      {
        attemptId: string;
        attempt: number;
        retry?: number;
        amount: DecimalString;
        method: ChargedPaymentMethod;
        chosenMethod?: true;
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
  /**
   * A retry was due, but the customer had no default payment method or was deleted, or the workspace had no payment gateway. `attemptId` is
   * the attempt after which the skipped retry was planned.
   */
  | InvoiceEventOf<'PaymentRetrySkipped', { attemptId: string } & PlanAfterFailure>
  /** The invoice was still unpaid at the end of its retries. `attemptId` is the attempt after which the retries ended. */
  | InvoiceEventOf<
      'PaymentRetriesEnded',
      { attemptId: string; reason: RetryEndReason; subscription: UnpaidSubscriptionAction }
    >
  /**
   * A payment was made outside the payment gateway and recorded, or a payment was made from the customer's balance. `amount` was received
   * in total. `toBalance` is the part above the amount due, which goes to the customer's balance; absent if it is zero. `reference` is
   * absent if the user gave no reference. `carried` is true if the amount is carried to the next invoice; absent otherwise.
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
        carried?: true;
      } & WrittenOffFlag
    >
  /**
   * A recorded payment was reversed. `reopens` is true if the invoice was paid before the reversal. The amounts of the event are those of
   * the reversed payment.
   */
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
  /**
   * A payment of `amount` from the customer's balance was started. The invoice accepts no other payment until the payment from the balance
   * has succeeded or failed. `carried` is true if the amount is carried to the next invoice: the balance can go below zero, and the next
   * invoice collects the debt. It is absent otherwise.
   */
  | InvoiceEventOf<'BalancePaymentStarted', { paymentId: string; amount: DecimalString; carried?: true }>
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
  /**
   * The payment gateway refused the refund permanently. `message` is the gateway's message. The amount of the refused refund is still owed
   * to the customer.
   */
  | InvoiceEventOf<
      'CreditNoteRefundRefused',
      { creditNoteId: string; amount: DecimalString; message: string }
    >
  /**
   * The refund failed after the payment gateway had accepted it, so the money is with the processor again. `message` says why. `refundId`
   * is the processor's id of the refund. The amount of the failed refund is owed to the customer again.
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
  /**
   * A later invoice gives back parts of the listed lines. If the later invoice had recorded another give-back before, that record was
   * undone first.
   */
  | InvoiceEventOf<'InvoiceLinesGivenBack', GiveBack>
  /** A give-back was undone, because the later invoice was voided, recomputed or not created. `byInvoiceId` is the later invoice. */
  | InvoiceEventOf<'InvoiceGiveBackReturned', { byInvoiceId: string }>
  /** A later invoice gave back more than it charged. The excess of the later invoice reduces the amount due of this invoice. */
  | InvoiceEventOf<'InvoiceReduced', AmountDueReduction & WrittenOffFlag>
  /**
   * A later invoice gave back more than it charged. The excess of the later invoice will be refunded from the payment of this invoice.
   * `byInvoiceId` is the later invoice.
   */
  | InvoiceEventOf<'PaymentRefundStarted', { byInvoiceId: string; amount: DecimalString }>
  /** The payment gateway has accepted the refund for the later invoice `byInvoiceId`. */
  | InvoiceEventOf<'PaymentRefunded', { byInvoiceId: string; amount: DecimalString }>
  /**
   * The payment gateway permanently refused the refund for the later invoice `byInvoiceId`. `message` is the gateway's message. The amount
   * goes to the customer's balance.
   */
  | InvoiceEventOf<'PaymentRefundRefused', { byInvoiceId: string; amount: DecimalString; message: string }>
  /**
   * The refund for the later invoice `byInvoiceId` failed after the payment gateway had accepted it, so the money is with the processor
   * again. `message` contains the reason, and `refundId` is the payment processor's id of the refund. The amount goes to the customer's
   * balance.
   */
  | InvoiceEventOf<
      'PaymentRefundFailed',
      { byInvoiceId: string; refundId: string; amount: DecimalString; message: string }
    >
  /** The customer's bank disputes a payment, and holds the money until the bank decides. */
  | InvoiceEventOf<'PaymentDisputed', DisputeReport & ReturnedPart>
  /** The bank has decided. The seller loses the money of a lost dispute (`status: lost`), and keeps the money of any other dispute. */
  | InvoiceEventOf<'PaymentDisputeClosed', DisputeReport & ReturnedPart & ExcessOfReturn>
  /** A refund was made at the payment processor itself, not through the API. `refundId` is the payment processor's id of the refund. */
  | InvoiceEventOf<
      'GatewayRefundFound',
      { attemptId: string; refundId: string; amount: DecimalString } & ReturnedPart & ExcessOfReturn
    >
  /**
   * Money that went back at the payment processor, by a refund or a lost dispute (`returnId`), had been given back to the customer's
   * balance before. `amount` was taken off the balance. With `refundFailed`, the refund has failed meanwhile, so the amount goes back to the
   * balance.
   */
  | InvoiceEventOf<
      'ReturnedMoneyTakenBack',
      { returnId: string; cause: 'refund' | 'dispute'; amount: DecimalString; refundFailed?: true }
    >
  /**
   * A refund that was not requested through the invoice failed, so the money is with the payment processor again. `message` says why.
   * Without `unneeded`, the refund was made at the payment processor itself. With `unneeded`, the refund returned a charge that the invoice
   * did not need and never recorded as paid. `owedAgain` is the part that had taken the place of refunds of ours, so these are owed again.
   * `toBalance` is the part that goes back to the customer's balance. Both are absent if they are zero.
   */
  | InvoiceEventOf<
      'GatewayRefundFailed',
      {
        attemptId: string;
        refundId: string;
        amount: DecimalString;
        message: string;
        unneeded?: true;
        owedAgain?: DecimalString;
        toBalance?: DecimalString;
      }
    >
  /** `amount` is the amount due that was written off. */
  | InvoiceEventOf<'InvoiceMarkedUncollectible', { amount: DecimalString }>
  /** `number` is `null` if the invoice was a draft, which had no number. */
  | InvoiceEventOf<'InvoiceVoided', { number: string | null; reason: string | null }>;

/**
 * The fields of an invoice that identify the customer or that contain text of a user. The personal fields of an invoice are encrypted in
 * its first event.
 */
export const PERSONAL_INVOICE_FIELDS: readonly string[] = [
  'billToName',
  'billToEmail',
  'billToAddress',
  'billToTaxId',
  'taxExemption',
  'poNumber',
  'buyerReference',
  'billToElectronicAddress',
  'customFields',
  'memo',
];

/**
 * Tells whether a user wrote the descriptions of the lines of this kind of invoice. The lines of other invoices have the names of prices as
 * descriptions.
 */
export function hasUserWrittenLineDescriptions(kind: unknown): boolean {
  return kind === 'manual' || kind === 'credit_purchase';
}

/** Returns the specification of an event with one text field that is encrypted as the customer's personal data. */
function sealed(field: string): EventSpec {
  return { version: 1, personal: { subject: 'customerId', fields: [field] } };
}

export const invoiceEvents: EventCatalog<InvoiceEvent> = {
  InvoiceCreated: {
    version: 1,
    personal: {
      subject: 'customerId',
      fields: PERSONAL_INVOICE_FIELDS,
      fieldsIf: ({ kind }) => (hasUserWrittenLineDescriptions(kind) ? ['lines.*.description'] : []),
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
  ReturnedMoneyTakenBack: v1,
  GatewayRefundFailed: v1,
  InvoiceMarkedUncollectible: v1,
  InvoiceVoided: sealed('reason'),
};
