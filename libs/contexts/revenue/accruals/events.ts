import type { MetricCredits } from '#libs/contexts/credits';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { NewInvoice, PriceRevenue } from '#libs/contexts/invoicing';

/** Revenue of one price that was earned by the end of a month and that no opened invoice billed. */
export interface UnbilledAmount extends PriceRevenue {
  /** The draft that charges the revenue. Null if no bill charges it yet. */
  readonly invoiceId: string | null;
}

/** The overage of a wallet that no invoice billed at the end of a month. */
export interface AccruedOverage {
  readonly creditType: string;
  readonly credits: readonly MetricCredits[];
  /** The revision of the wallet's newest event at the end of the month. */
  readonly revision: string;
}

/**
 * The lines that an invoice of the unbilled time would have, with everything that they were computed from. So they can be computed again.
 */
export interface MeasuredLines extends Pick<
  NewInvoice,
  | 'lines'
  | 'taxes'
  | 'taxRateIds'
  | 'discounts'
  | 'readings'
  | 'lateReadings'
  | 'lookBack'
  | 'lateCommitments'
  | 'basis'
> {
  /** Set if the customer pays no taxes. */
  readonly exempt?: true;
}

/** The reversal of an accrual: `lines` are posted with the opposite sign at the instant `at`. */
export interface AccrualReversal {
  readonly at: Instant;
  readonly lines: readonly PriceRevenue[];
}

export type RevenueAccrualEvent =
  /**
   * A month ended, and a subscription had unbilled revenue then or a month before. If `overage` is present, the accrual is for a customer's
   * wallet, and `subscriptionId` is null. `at` is the last instant of the month in `timezone`. At this instant the ledger posts `lines`:
   * the change of the unbilled amounts. `unbilled` has the amounts at that instant. `measured` is absent if bills charge the whole time.
   * `reversal` replaces the earlier reversal, if that reversal is still to come.
   */
  DomainEvent<
    'RevenueAccrued',
    {
      subscriptionId: string | null;
      customerId: string;
      currency: string;
      timezone: string;
      month: string;
      at: Instant;
      total: DecimalString;
      unbilled: readonly UnbilledAmount[];
      measured?: MeasuredLines;
      overage?: AccruedOverage;
      lines: readonly PriceRevenue[];
      reversal: AccrualReversal;
    }
  >;

export const revenueAccrualEvents: EventCatalog<RevenueAccrualEvent> = { RevenueAccrued: v1 };
