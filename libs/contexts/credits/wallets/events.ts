import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { CreditDraw, CreditSource, Period, TaxAmount } from '#libs/rating';

/** The priority of blocks that are granted without a priority. OpenMeter has the same default. */
export const DEFAULT_BLOCK_PRIORITY = 10;

/** A block of credits, as it was granted. */
export interface GrantedBlock {
  blockId: string;
  /** The number of credits. */
  amount: DecimalString;
  source: CreditSource;
  /** Blocks with a lower priority are used first. */
  priority: number;
  /** The first instant at which the credits can be used. */
  effectiveAt: Instant;
  /** The instant from which the credits can no longer be used. If null, they never expire. */
  expiresAt: Instant | null;
  /** The amount that was paid for the whole block, for reports. Null if the paid amount is not known. */
  costBasis: DecimalString | null;
  /** The currency of `costBasis`. */
  currency: string;
  /** A note for the ledger of the wallet. */
  description: string | null;
  /**
   * The invoice with which the customer bought the block. For a bought block, `costBasis` is the amount of the invoice without taxes.
   * Absent if the block was not bought.
   */
  invoiceId?: string;
  /** The allowance that granted the block. Absent if no allowance granted the block. */
  allowance?: AllowanceOfBlock;
}

/** The allowance that granted a block, and the interval for which it was granted. */
export interface AllowanceOfBlock {
  allowanceId: string;
  planId: string;
  subscriptionId: string;
  /** The beginning of the interval. The interval ends at the expiry of the block. */
  start: Instant;
  /** The credits of the block that rolled over from the previous interval. */
  rolledOver: DecimalString;
  /** The credits of the allowance for a whole interval. Absent in blocks of earlier versions. */
  credits?: DecimalString;
  /**
   * The id of the amendment with which the subscription came to the plan. Null if it began with the plan. Absent in blocks of earlier
   * versions.
   */
  planChange?: string | null;
}

/**
 * The ways to pay for a purchase. With `charge`, the customer's stored card is charged at once. With `send_invoice`, the customer pays
 * within the terms of the invoice.
 */
export const PURCHASE_COLLECTIONS = ['charge', 'send_invoice'] as const;
export type PurchaseCollection = (typeof PURCHASE_COLLECTIONS)[number];

/** A block of credits that a customer buys. A bought block can be used as soon as its invoice is paid. */
export interface CreditPurchase {
  blockId: string;
  invoiceId: string;
  /** The number of credits. */
  amount: DecimalString;
  /** The price of one credit. If null, the price is that of the credit type when the invoice is created. */
  unitPrice: DecimalString | null;
  currency: string;
  /**
   * The instant from which the credits can no longer be used. If null, they never expire. If absent, the credits expire after the
   * `expiresAfterDays` of the credit type, counted from the payment.
   */
  expiresAt?: Instant | null;
  collection: PurchaseCollection;
  /** A note that is shown in the wallet's ledger and on the invoice. */
  description: string | null;
  /** True if an automatic top-up bought the credits. Absent if a user bought the credits. */
  topUp?: true;
  /** The number of top-ups that an automatic top-up bought at once. Absent for one top-up, and if a user bought the credits. */
  topUpCount?: number;
}

/** The maximum number of top-ups in a month, unless the settings name another maximum. */
export const DEFAULT_MAX_TOP_UPS_PER_MONTH = 5;

/** The settings of an automatic top-up, such as the threshold and the number of credits to buy. */
export interface AutoTopUpSettings {
  /** Credits are bought when the balance is at or below this number. */
  threshold: DecimalString;
  /** The number of credits that are bought each time. */
  credits: DecimalString;
  /** The price of one credit. If null, the price is that of the credit type at the time of the purchase. */
  unitPrice: DecimalString | null;
  currency: string;
  /** The maximum number of top-ups in a calendar month (UTC). */
  maxPerMonth: number;
  enabled: boolean;
}

/** Credits that usage of a metric has taken from one block, or that no block covered. */
export interface UsageDraw {
  readonly metricId: string;
  /** The block from which the credits were taken. If null, no block covered the credits, and they are overage. */
  readonly blockId: string | null;
  readonly amount: DecimalString;
}

/** Credits that usage of a metric cost. */
export interface MetricCredits {
  readonly metricId: string;
  readonly amount: DecimalString;
  /** The period for which a voided invoice billed the credits as overage. Absent if no invoice billed them before. */
  readonly period?: Period;
}

/** A part of the usage log: the positions after `after`, up to and including `upTo`. */
export interface UsageLogPart {
  readonly after: string;
  readonly upTo: string;
}

/** How the money of a purchase went back: by a refund at the payment processor, or by a lost dispute. */
export const PURCHASE_RETURN_CAUSES = ['refund', 'dispute'] as const;
export type PurchaseReturnCause = (typeof PURCHASE_RETURN_CAUSES)[number];

type WalletEventOf<Type extends string, Data extends object> = DomainEvent<
  Type,
  {
    customerId: string;
    creditType: string;
    at: Instant;
    /** The credits that can be used right after the event. */
    balance: DecimalString;
  } & Data
>;

export type WalletEvent =
  | WalletEventOf<'CreditsGranted', GrantedBlock>
  /**
   * The remaining credits of a block expired, or the allowance of the block ended before the expiry. `amount` is the number of these
   * credits.
   */
  | WalletEventOf<'CreditsExpired', { blockId: string; amount: DecimalString }>
  /**
   * Usage has drawn credits. The event records all draws of the usage in the part `usage` of the usage log. `amount` is the number of
   * credits that blocks covered. `draws` lists the credits by metric and block, and the credits that no block covered. `trial` is true if the
   * customer was in a trial, so that the credits that no block covered are not billed. Otherwise it is absent.
   */
  | WalletEventOf<
      'CreditsDrawnDown',
      { amount: DecimalString; draws: readonly UsageDraw[]; usage: UsageLogPart; trial?: true }
    >
  /**
   * A user took credits back. `draws` lists the number of credits that were taken from each block. If `creditNote` is present, a credit
   * note gives back the price of the credits.
   */
  | WalletEventOf<
      'CreditsVoided',
      {
        amount: DecimalString;
        draws: readonly CreditDraw[];
        reason: string | null;
        creditNote?: { invoiceId: string; blockAmount: DecimalString };
      }
    >
  /** Usage that no block covered is billed on an invoice. `unitPrice` is the price of one credit. */
  | WalletEventOf<
      'CreditOverageBilled',
      { invoiceId: string; overage: readonly MetricCredits[]; unitPrice: DecimalString; currency: string }
    >
  /** The invoice was voided, so the overage is billed on the next invoice. */
  | WalletEventOf<'CreditOverageReturned', { invoiceId: string; overage: readonly MetricCredits[] }>
  /**
   * An invoice shows the credits with which usage was paid. `used` lists the credits that blocks covered since the previous invoice, by
   * metric.
   */
  | WalletEventOf<'CreditsUsedInvoiced', { invoiceId: string; used: readonly MetricCredits[] }>
  /** The invoice was voided, so the next invoice shows the used credits. */
  | WalletEventOf<'CreditsUsedReturned', { invoiceId: string; used: readonly MetricCredits[] }>
  /** Credits were bought. Bought credits cannot be used until their invoice is paid. */
  | WalletEventOf<'CreditPurchaseCreated', CreditPurchase>
  /** The invoice of a purchase was paid, so the block can be used. `timezone` is the time zone of the invoice. */
  | WalletEventOf<'CreditPurchaseActivated', GrantedBlock & { invoiceId: string; timezone: string }>
  /** The invoice of a purchase was voided, so the block will never be used. */
  | WalletEventOf<'CreditPurchaseVoided', { blockId: string; invoiceId: string; amount: DecimalString }>
  /** The invoice of a purchase was written off. The block can still be paid, but automatic top-ups no longer wait for the payment. */
  | WalletEventOf<'CreditPurchaseWrittenOff', { blockId: string; invoiceId: string; amount: DecimalString }>
  /**
   * The purchase was refunded at the payment processor or lost in a dispute, so unused credits of its block were taken back. `amount` is
   * the number of these credits. `taxes` are the taxes on their price, which are not owed any more; absent if there are none.
   */
  | WalletEventOf<
      'PurchasedCreditsTakenBack',
      {
        blockId: string;
        invoiceId: string;
        amount: DecimalString;
        cause: PurchaseReturnCause;
        taxes?: readonly TaxAmount[];
      }
    >
  /**
   * `amount` credits of a bought block can no longer be used, because the purchase is disputed, or because it was refunded or lost and the
   * credit type blocks such credits.
   */
  | WalletEventOf<'PurchasedCreditsBlocked', { blockId: string; invoiceId: string; amount: DecimalString }>
  /** `amount` blocked credits can be used again, or are no longer blocked because they are taken back. */
  | WalletEventOf<'PurchasedCreditsReleased', { blockId: string; invoiceId: string; amount: DecimalString }>
  | WalletEventOf<'AutoTopUpSet', AutoTopUpSettings>
  | WalletEventOf<'AutoTopUpRemoved', object>
  /**
   * The balance requires a top-up, but the top-up must wait for the next month or for an allowance. The event also follows the void of an
   * automatic top-up, or the write-off of its invoice, whatever the balance is.
   */
  | WalletEventOf<'AutoTopUpDeferred', { until: Instant }>
  /** Usage was refused, because it costs more credits than the balance. `required` is the number of credits that it costs. */
  | WalletEventOf<'CreditsRefused', { required: DecimalString }>
  /**
   * The balance has become low, and is above zero. It is at or below the threshold of the automatic top-up, or usage was refused because it
   * costs more than the balance.
   */
  | WalletEventOf<'WalletBalanceLow', { threshold: DecimalString }>
  /** The last usable credits were used, expired or voided. Credits that can be used only later may be left. */
  | WalletEventOf<'WalletBalanceDepleted', object>
  /** The balance is above zero and above the threshold again. */
  | WalletEventOf<'WalletBalanceRecovered', object>;

/** The catalog entry of events that have a `description`. A user wrote the description, so it is personal data. */
const note = { version: 1, personal: { subject: 'customerId', fields: ['description'] } };

export const walletEvents: EventCatalog<WalletEvent> = {
  CreditsGranted: note,
  CreditsDrawnDown: v1,
  CreditsExpired: v1,
  CreditsVoided: { version: 1, personal: { subject: 'customerId', fields: ['reason'] } },
  CreditOverageBilled: v1,
  CreditOverageReturned: v1,
  CreditsUsedInvoiced: v1,
  CreditsUsedReturned: v1,
  CreditPurchaseCreated: note,
  CreditPurchaseActivated: note,
  CreditPurchaseVoided: v1,
  CreditPurchaseWrittenOff: v1,
  PurchasedCreditsTakenBack: v1,
  PurchasedCreditsBlocked: v1,
  PurchasedCreditsReleased: v1,
  AutoTopUpSet: v1,
  AutoTopUpRemoved: v1,
  AutoTopUpDeferred: v1,
  CreditsRefused: v1,
  WalletBalanceLow: v1,
  WalletBalanceDepleted: v1,
  WalletBalanceRecovered: v1,
};
