import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** What a balance was credited for: the excess of an invoice that gives back more than it charges, or a credit note. */
export const CREDIT_SOURCES = ['invoice', 'credit_note'] as const;
export type CreditSource = (typeof CREDIT_SOURCES)[number];

type BalanceFact<Type extends string, Data extends object> = DomainEvent<
  Type,
  {
    customerId: string;
    currency: string;
    at: Instant;
    /** Above zero, with the currency's digits. */
    amount: DecimalString;
    /** What the balance is afterwards. */
    balance: DecimalString;
  } & Data
>;

export type BalanceEvent =
  | BalanceFact<'BalanceCredited', { source: CreditSource; sourceId: string }>
  /** Taken for an invoice that is being opened. */
  | BalanceFact<'BalanceApplied', { invoiceId: string }>
  /** What was taken for an invoice and is not needed: its opening used less, or it was voided. */
  | BalanceFact<'BalanceReturned', { invoiceId: string }>
  /** What a credit note had added is taken out again, for the note is being voided. `reason`: why; null if nobody said. */
  | BalanceFact<'BalanceDebited', { creditNoteId: string; invoiceId: string; reason: string | null }>;

export const balanceEvents: EventCatalog<BalanceEvent> = {
  BalanceCredited: v1,
  BalanceApplied: v1,
  BalanceReturned: v1,
  BalanceDebited: v1,
};
