import type { DecimalString, Instant, PostalAddress } from '#libs/kernel/core';
import type { CustomField, TaxExemption } from '#libs/contexts/customers';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
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
import type { GiveBack, Reduction } from './give-backs/give-back.js';
import type { InvoiceSettings } from './settings/billing-settings.js';

/**
 * What an invoice is for: a billing period, one issued before its period is over (`interim`: asked for; `progressive`: as its usage
 * reached a threshold), what an ended subscription owes, or what follows from a change of it. `manual`: made by hand.
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
] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

/** Stands in every event, so that who hears of one invoice's event knows what it is about. */
export interface InvoiceReference {
  invoiceId: string;
  customerId: string;
  currency: string;
  total: DecimalString;
}

/** How a metric's usage was measured for an invoice: measuring it so again comes to the same. */
export interface UsageReading {
  metricId: string;
  metricVersion: number;
  start: Instant;
  end: Instant;
  /** The place in the usage log up to which it was counted. */
  watermark: string;
}

/**
 * A second measurement of usage that an earlier invoice of the subscription had billed, because events came late: `since` is the watermark
 * of then, `watermark` that of now.
 */
export interface LateReading extends UsageReading {
  /** The metric's version that it was counted by then; absent: the same. */
  billedVersion?: number;
  /** What it was billed by, and the price's full period that it is all or a part of. */
  priceId: string;
  priceVersion: number;
  period: Period;
  /** What shares of that period are counted in; absent: time. */
  basis?: ProrationBasis;
  /** The invoice that billed it first. */
  invoiceId: string;
  /** The place in the usage log up to which it had been billed. */
  since: string;
  /** What was left of what had been billed for it, without what coupons, credit notes and voids took off. */
  atMost: DecimalString;
}

/** How far the usage that earlier invoices of the subscription billed has been looked through for what came late. */
export interface LookBack {
  /** Nothing that is in the usage log up to here is left to be billed for them. */
  through: string;
  /** What they measured, each from the first to the last instant. */
  spans: { metricId: string; metricVersion: number; start: Instant; end: Instant }[];
}

/** What a coupon took off an invoice; each line's part stands on the line. */
export interface InvoiceDiscount {
  redemptionId: string;
  couponId: string;
  /** As it is printed. */
  name: string;
  discount: Discount;
  /** The prices whose lines it is limited to; absent: the whole invoice. */
  priceIds?: string[];
  /** The subscriptions whose lines it is limited to, on an invoice of several; absent: all. */
  subscriptionIds?: string[];
  /**
   * The invoice that used the coupon on a fee which is given back here. The unused part of that discount goes over to the fee's
   * replacement. Absent: the coupon is used on this invoice.
   */
  carriedFrom?: string;
  amount: DecimalString;
}

/** What an invoice notes of how a subscription's charges came about. */
export interface BillingNotes {
  /** One for each metric and stretch of time, also where there was no usage and so no line; absent if nothing is measured. */
  readings?: UsageReading[];
  /** One for each stretch of time of earlier invoices whose usage has changed since; absent: none. */
  lateReadings?: LateReading[];
  /** Absent if no earlier invoice measured anything. */
  lookBack?: LookBack;
  /** What a plan's minimum commitment came to for the time that ends with it, also where nothing was missing; absent: none. */
  commitment?: CommitmentReading;
  /** Those of earlier invoices for whose time usage has come late; absent: none. */
  lateCommitments?: RecountedCommitment[];
  /** What shares of a period are counted in; absent: time. */
  basis?: ProrationBasis;
}

/** What is said of one subscription on an invoice of several. */
export interface InvoicePart extends BillingNotes {
  subscriptionId: string;
  /** Of the plan that is billed: stands above its lines. */
  planName: string;
  periodStart: Instant;
  periodEnd: Instant;
}

/** What an invoice is made from. Amounts are in `currency`; a line's is rounded to its minor unit. */
export interface InvoiceDetails extends InvoiceReference, BillingNotes {
  /** `null` for what is billed outside of a subscription, and for several. */
  subscriptionId: string | null;
  /** Of each of several subscriptions, whose notes are here instead; absent: it is of one, or none. */
  parts?: InvoicePart[];
  kind: InvoiceKind;
  lines: InvoiceLine[];
  /** What the lines give back beyond what they charge. It takes off debt, and the rest goes to the customer's balance. Absent: nothing. */
  excess?: DecimalString;
  /** The excess is refunded, as far as it was paid in money; absent: it goes to the customer's balance. */
  excessTo?: 'refund';
  /** By coupon, in the order in which they were applied. Absent: none. */
  discounts?: InvoiceDiscount[];
  /** By rate; what inclusive ones come to is in the lines, the others are added to them. Absent: none. */
  taxes?: AppliedTax[];
  /** Its own rates, where its lines have different ones and each names its own; absent: all of `taxes`. */
  taxRateIds?: string[];
  /** Why the customer pays no tax; absent if it is not exempt. Personal data. */
  taxExemption?: string;
  /** What kind of exemption that is; absent if the customer is not exempt, or it was not recorded. */
  taxExemptionType?: TaxExemption;
  periodStart: Instant;
  periodEnd: Instant;
  /** When it was due to be billed, which is before `createdAt` if billing ran late. */
  billedAt: Instant;
  /** Who is billed, as known at that moment. Personal data. */
  billToName: string;
  billToEmail: string | null;
  /** Absent: not known. Personal data. */
  billToAddress?: PostalAddress;
  billToTaxId?: string;
  /** The number of the customer's purchase order; absent: none. Personal data. */
  poNumber?: string;
  /** What the customer wants to read on it; absent: nothing. Personal data. */
  customFields?: CustomField[];
  /** What the seller says about it. */
  memo?: string;
  /** The customer's: whose calendar periods are shown in, and dates too unless the settings have a time zone. */
  timezone: string;
  settings: InvoiceSettings;
}

/** What makes a draft an invoice. */
export interface Opening {
  /** Unique in the workspace, in an unbroken sequence: `INV-000042`, or as its settings have it. */
  number: string;
  /** What the workspace called itself; `null` if it has no name. */
  sellerName: string | null;
  /** What the customer's balance has for it; it uses at most its total. Absent: nothing. */
  balance?: DecimalString;
}

/** The card that is charged, as it was at that moment: repeating the charge needs nothing else. */
export interface ChargedMethod {
  paymentMethodId: string;
  type: 'test';
  test: string;
  label: string;
  declines?: number;
}

/** What a draft comes to when it is computed again, with the usage by then; the rest of it stays. */
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

type InvoiceFact<Type extends string, Data extends object> = DomainEvent<
  Type,
  InvoiceReference & { at: Instant } & Data
>;

/** Whether the invoice had been marked uncollectible; absent: it was open. */
interface IfWrittenOff {
  writtenOff?: true;
}

export type InvoiceEvent =
  | InvoiceFact<'InvoiceCreated', InvoiceDetails>
  | InvoiceFact<'DraftRecomputed', RecomputedAmounts>
  /**
   * Absent amounts are zero: what the customer's balance paid of the total, and what was added to the balance. `kind` is absent where it
   * was not recorded.
   */
  | InvoiceFact<
      'InvoiceOpened',
      Omit<Opening, 'balance'> & {
        kind?: InvoiceKind;
        dueDate: Instant;
        balanceApplied?: DecimalString;
        balanceCredited?: DecimalString;
      }
    >
  | InvoiceFact<
      'PaymentStarted',
      { attemptId: string; attempt: number; amount: DecimalString; method: ChargedMethod }
    >
  | InvoiceFact<'PaymentActionRequired', { attemptId: string; message: string } & IfWrittenOff>
  | InvoiceFact<'PaymentConfirmed', { attemptId: string }>
  /** `attempt` is null where it was not recorded. */
  | InvoiceFact<
      'PaymentSucceeded',
      { attemptId: string; attempt: number | null; amount: DecimalString } & IfWrittenOff
    >
  | InvoiceFact<
      'PaymentFailed',
      { attemptId: string; attempt: number; code: string; message: string } & IfWrittenOff
    >
  /** `attemptId` is `null` if there was nothing (more) to charge. */
  | InvoiceFact<'InvoicePaid', { attemptId: string | null }>
  | InvoiceFact<'CreditNoteIssued', { note: CreditNoteDetails }>
  /** `amount`: what it is over. */
  | InvoiceFact<
      'CreditNoteNumbered',
      { creditNoteId: string; number: string; amount: DecimalString; reason: CreditNoteReason }
    >
  | InvoiceFact<'CreditNoteRefunded', { creditNoteId: string; amount: DecimalString }>
  /** `amount`: what it was over. `reason`: why it is void; null if nobody said. */
  | InvoiceFact<
      'CreditNoteVoided',
      { creditNoteId: string; number: string; amount: DecimalString; reason: string | null }
    >
  /** A later invoice gives back of these lines. What it had recorded before was returned. */
  | InvoiceFact<'InvoiceLinesGivenBack', GiveBack>
  /** The invoice that gave back was voided, or computed again. */
  | InvoiceFact<'InvoiceGiveBackReturned', { byInvoiceId: string }>
  /** A later invoice gave back more than it charged: that is taken off what is still to be paid of this one. */
  | InvoiceFact<'InvoiceReduced', Reduction & IfWrittenOff>
  /** The same with what was paid of this one in money: it is to be refunded. */
  | InvoiceFact<'PaymentRefundStarted', { byInvoiceId: string; amount: DecimalString }>
  /** The payment gateway has the refund. */
  | InvoiceFact<'PaymentRefunded', { byInvoiceId: string; amount: DecimalString }>
  /** `amount`: what was still to be paid. */
  | InvoiceFact<'InvoiceMarkedUncollectible', { amount: DecimalString }>
  /** `number` is `null` for a draft, which had none. */
  | InvoiceFact<'InvoiceVoided', { number: string | null; reason: string | null }>;

export const invoiceEvents: EventCatalog<InvoiceEvent> = {
  InvoiceCreated: {
    version: 1,
    personal: {
      subject: 'customerId',
      fields: [
        ...['billToName', 'billToEmail', 'billToAddress', 'billToTaxId', 'taxExemption'],
        ...['poNumber', 'customFields'],
      ],
    },
  },
  DraftRecomputed: v1,
  InvoiceOpened: v1,
  PaymentStarted: v1,
  PaymentActionRequired: v1,
  PaymentConfirmed: v1,
  PaymentSucceeded: v1,
  PaymentFailed: v1,
  InvoicePaid: v1,
  CreditNoteIssued: v1,
  CreditNoteNumbered: v1,
  CreditNoteRefunded: v1,
  CreditNoteVoided: v1,
  InvoiceLinesGivenBack: v1,
  InvoiceGiveBackReturned: v1,
  InvoiceReduced: v1,
  PaymentRefundStarted: v1,
  PaymentRefunded: v1,
  InvoiceMarkedUncollectible: v1,
  InvoiceVoided: v1,
};
