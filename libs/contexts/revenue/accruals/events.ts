import type { MetricCredits } from '#libs/contexts/credits';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { NewInvoice, PriceRevenue } from '#libs/contexts/invoicing';

/** Revenue of one price that was earned by the end of a month, when no opened invoice billed it. */
export interface UnbilledAmount extends PriceRevenue {
  /** The draft that charges it. Null if no bill charges it yet. */
  readonly invoiceId: string | null;
}

/** The overage of a wallet that no invoice billed at the end of a month. */
export interface AccruedOverage {
  readonly creditType: string;
  readonly credits: readonly MetricCredits[];
  /** The revision of the wallet's newest event by then. */
  readonly revision: string;
}

/** The lines that an invoice of the open time would have, with everything that they were computed from, so that they can be computed again. */
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

/** The reversal of an accrual: `lines` are posted the other way round at the instant `at`. */
export interface AccrualReversal {
  readonly at: Instant;
  readonly lines: readonly PriceRevenue[];
}

export type RevenueAccrualEvent =
  /**
   * A month ended, and a subscription had unbilled revenue, or had it a month before. If `overage` is present, it is that of a customer's
   * wallet, and `subscriptionId` is null. `at` is the last instant of the month in `timezone`,
   * at which the ledger posts `lines`: the change of the unbilled amounts. `unbilled` has the amounts at that instant. `measured` is
   * absent if no time was open. `reversal` replaces the earlier reversal, if that is still to come.
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
