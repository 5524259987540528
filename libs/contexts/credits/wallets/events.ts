import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { CreditDraw, CreditSource } from '#libs/rating';

/** The priority of blocks that name none. OpenMeter has the same default. */
export const DEFAULT_PRIORITY = 10;

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
  /** The instant from which the credits can no longer be used. Null: they never expire. */
  expiresAt: Instant | null;
  /** The amount that was paid for the whole block, for reports. Null if it is not known. */
  costBasis: DecimalString | null;
  /** The currency of `costBasis`. */
  currency: string;
  /** A note for the ledger of the wallet. */
  description: string | null;
}

/** Credits that usage of a metric has used. */
export interface UsageDraw {
  readonly metricId: string;
  /** The block from which they were taken. Null: no block covered them, so they are billed as overage. */
  readonly blockId: string | null;
  readonly amount: DecimalString;
}

/** A part of the usage log: the positions after `after`, up to and including `upTo`. */
export interface UsageSpan {
  readonly after: string;
  readonly upTo: string;
}

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
  /** The rest of a block ended at its expiry. `amount`: the credits that were left. */
  | WalletEventOf<'CreditsExpired', { blockId: string; amount: DecimalString }>
  /**
   * Usage used credits. The event covers all usage of the wallet in a span of the usage log. `amount`: the credits that blocks covered.
   * `draws`: what each metric used of each block, and what no block covered.
   */
  | WalletEventOf<
      'CreditsDrawnDown',
      { amount: DecimalString; draws: readonly UsageDraw[]; usage: UsageSpan }
    >
  /** Credits were taken back by a user. `draws`: how much of each block. */
  | WalletEventOf<
      'CreditsVoided',
      { amount: DecimalString; draws: readonly CreditDraw[]; reason: string | null }
    >;

export const walletEvents: EventCatalog<WalletEvent> = {
  CreditsGranted: v1,
  CreditsDrawnDown: v1,
  CreditsExpired: v1,
  CreditsVoided: v1,
};
