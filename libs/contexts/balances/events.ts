import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/**
 * The reasons for which a balance is credited. `invoice`: an invoice gave back more than it charged. `credit_note`: a credit note was
 * issued.
 */
export const BALANCE_SOURCES = ['invoice', 'credit_note'] as const;
export type BalanceSource = (typeof BALANCE_SOURCES)[number];

type BalanceEventOf<Type extends string, Data extends object> = DomainEvent<
  Type,
  {
    customerId: string;
    currency: string;
    at: Instant;
    /** The size of the change. It is above zero and has the currency's number of decimals. */
    amount: DecimalString;
    /** The balance after the event. */
    balance: DecimalString;
  } & Data
>;

export type BalanceEvent =
  | BalanceEventOf<'BalanceCredited', { source: BalanceSource; sourceId: string }>
  /** An amount was reserved for an invoice that is being opened. */
  | BalanceEventOf<'BalanceApplied', { invoiceId: string }>
  /** An amount that was reserved for an invoice was returned, because the opened invoice used less, or was voided. */
  | BalanceEventOf<'BalanceReturned', { invoiceId: string }>
  /** The amount of a credit note was removed again, because the note is being voided. `reason` is null if no reason was given. */
  | BalanceEventOf<'BalanceDebited', { creditNoteId: string; invoiceId: string; reason: string | null }>;

export const balanceEvents: EventCatalog<BalanceEvent> = {
  BalanceCredited: v1,
  BalanceApplied: v1,
  BalanceReturned: v1,
  BalanceDebited: { version: 1, personal: { subject: 'customerId', fields: ['reason'] } },
};
