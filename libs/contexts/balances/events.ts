import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** Why a balance was credited: an invoice gave back more than it charged, or a credit note was issued. */
export const CREDIT_SOURCES = ['invoice', 'credit_note'] as const;
export type CreditSource = (typeof CREDIT_SOURCES)[number];

type BalanceEventOf<Type extends string, Data extends object> = DomainEvent<
  Type,
  {
    customerId: string;
    currency: string;
    at: Instant;
    /** The size of the change: above zero, with the currency's number of decimals. */
    amount: DecimalString;
    /** The balance after the event. */
    balance: DecimalString;
  } & Data
>;

export type BalanceEvent =
  | BalanceEventOf<'BalanceCredited', { source: CreditSource; sourceId: string }>
  /** An amount was taken for an invoice that is being opened. */
  | BalanceEventOf<'BalanceApplied', { invoiceId: string }>
  /** An amount that was taken for an invoice came back: the opened invoice used less, or was voided. */
  | BalanceEventOf<'BalanceReturned', { invoiceId: string }>
  /** The amount of a credit note was taken out again, because the note is being voided. `reason` is null if no reason was given. */
  | BalanceEventOf<'BalanceDebited', { creditNoteId: string; invoiceId: string; reason: string | null }>;

export const balanceEvents: EventCatalog<BalanceEvent> = {
  BalanceCredited: v1,
  BalanceApplied: v1,
  BalanceReturned: v1,
  BalanceDebited: v1,
};
