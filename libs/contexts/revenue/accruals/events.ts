import type { MetricCredits } from '#libs/contexts/credits';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { NewInvoice, PriceRevenue } from '#libs/contexts/invoicing';

/** Revenue of one price that was earned by the end of a month and that no opened invoice billed. */
export interface UnbilledAmount extends PriceRevenue {
  /** The draft invoice that charges the revenue. Null if no bill charges the revenue yet. */
  readonly invoiceId: string | null;
}

/** The overage of a wallet that no invoice billed at the end of a month. */
export interface AccruedOverage {
  readonly creditType: string;
  /** The credits of the overage, for each metric whose usage cost them. */
  readonly credits: readonly MetricCredits[];
  /** The revision of the wallet's newest event that counts. Events of the same month that are appended later are of the next accrual. */
  readonly revision: string;
}

/**
 * The lines that an invoice of the unbilled time would have, with all data from which they were computed. The stored data makes it possible
 * to compute the lines again.
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
   * Recorded after the end of a month, if the unbilled amounts at its end differ from the accrued amounts that were not reversed by then. A
   * second measurement of the month records a second event if its amounts differ from the first. If `overage` is present, the accrual is
   * for a customer's wallet, and `subscriptionId` is null. `at` is the last instant of the month in `timezone`. At the end of the month the
   * ledger posts `lines`, which are the change of the unbilled amounts. `unbilled` contains the unbilled amounts at the end of the month.
   * `measured` is absent if existing bills charge everything, or if the usage could not be measured. `reversal` replaces the reversal of
   * the earlier accrual, if that reversal is still in the future.
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
