import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog, type EventSpec } from '#libs/kernel/domain';

/**
 * The reasons for crediting a balance. `invoice`: an invoice gave back more than it charged. `credit_note`: a credit note was issued.
 * `payment`: a recorded payment was larger than the amount due. `refund`: a refund was refused for good, or failed.
 */
export const BALANCE_SOURCES = ['invoice', 'credit_note', 'payment', 'refund'] as const;
export type BalanceSource = (typeof BALANCE_SOURCES)[number];

/** The ways in which money is paid without the payment gateway. */
export const OUTSIDE_PAYMENT_METHODS = ['bank_transfer', 'cash', 'check', 'card', 'other'] as const;
export type OutsidePaymentMethod = (typeof OUTSIDE_PAYMENT_METHODS)[number];

type BalanceEventOf<Type extends string, Data extends object> = DomainEvent<
  Type,
  {
    customerId: string;
    currency: string;
    at: Instant;
    /** The size of the change, which is above zero and has the currency's number of decimals. */
    amount: DecimalString;
    /** The balance after the event. Below zero if the customer owes it. */
    balance: DecimalString;
  } & Data
>;

export type BalanceEvent =
  /** `invoiceId` is the later invoice that gave back the amount of a refused or failed refund. Absent for other sources. */
  | BalanceEventOf<'BalanceCredited', { source: BalanceSource; sourceId: string; invoiceId?: string }>
  /** An amount was reserved for an invoice that is being opened. */
  | BalanceEventOf<'BalanceApplied', { invoiceId: string }>
  /** The balance was below zero, and an invoice that is being opened collects this debt. The balance is zero afterwards. */
  | BalanceEventOf<'BalanceDebtApplied', { invoiceId: string }>
  /** An invoice that was to collect a debt of the balance was opened without it, or was voided. The customer owes the debt again. */
  | BalanceEventOf<'BalanceDebtReturned', { invoiceId: string }>
  /** An amount that was reserved for an invoice was returned, because the opened invoice used less, or was voided. */
  | BalanceEventOf<'BalanceReturned', { invoiceId: string }>
  /**
   * The amount of a credit note was removed from the balance again, because the credit note is being voided. `reason` is null if no reason
   * was given.
   */
  | BalanceEventOf<'BalanceDebited', { creditNoteId: string; invoiceId: string; reason: string | null }>
  /**
   * An amount was taken from the balance to pay an open invoice. `paymentId` is the payment on the invoice. `carried` is true if the balance
   * could go below zero, because the invoice is carried to the next one. It is absent otherwise.
   */
  | BalanceEventOf<'BalanceWithdrawn', { paymentId: string; invoiceId: string; carried?: true }>
  /**
   * An amount that was taken from the balance to pay an open invoice was returned. The amount is returned because the invoice did not need
   * it, or the payment was reversed.
   */
  | BalanceEventOf<'BalanceWithdrawalReturned', { paymentId: string; invoiceId: string }>
  /** The excess of a recorded payment was removed from the balance again, because the payment is being reversed. */
  | BalanceEventOf<'BalanceExcessRemoved', { paymentId: string; invoiceId: string; reason: string }>
  /**
   * Money of the invoice went back at the payment processor, by a refund or a lost dispute (`returnId`), and had been given to the balance
   * before. So it was taken from the balance. `total` is what was taken for `returnId` so far.
   */
  | BalanceEventOf<'BalanceTakenBack', { returnId: string; invoiceId: string; total: DecimalString }>
  /**
   * A user changed the balance. `method` is the way in which money was received from the customer or paid back. It is absent if no money
   * moved. `timezone` (IANA) determines the date in the books.
   */
  | BalanceEventOf<
      'BalanceAdjusted',
      {
        adjustmentId: string;
        change: 'given' | 'taken';
        reason: string;
        method?: OutsidePaymentMethod;
        timezone: string;
      }
    >;

/** The specification of events with a `reason`. A user wrote this text about the customer, so it is stored as personal data. */
const withReason: EventSpec = { version: 1, personal: { subject: 'customerId', fields: ['reason'] } };

export const balanceEvents: EventCatalog<BalanceEvent> = {
  BalanceCredited: v1,
  BalanceApplied: v1,
  BalanceDebtApplied: v1,
  BalanceDebtReturned: v1,
  BalanceReturned: v1,
  BalanceDebited: withReason,
  BalanceWithdrawn: v1,
  BalanceWithdrawalReturned: v1,
  BalanceExcessRemoved: withReason,
  BalanceTakenBack: v1,
  BalanceAdjusted: withReason,
};
