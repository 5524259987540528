import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The revenue of a month in one currency, as the ledger had it when the month was closed. */
export interface MonthFigures {
  readonly currency: string;
  /**
   * The amount that the month's invoices charged without taxes, less what was given back in the month: credit notes, give-backs, voided
   * invoices, and refunds that were made at the payment processor itself. Such refunds count with taxes.
   */
  readonly billed: DecimalString;
  /** The revenue that was earned in the month. */
  readonly recognised: DecimalString;
  /** The amount that was invoiced but not yet earned at the end of the month. */
  readonly deferred: DecimalString;
  /** The revenue that was earned but not yet invoiced at the end of the month. */
  readonly unbilled: DecimalString;
}

export type RevenueMonthEvent =
  /**
   * Recorded when a month was closed, so that its figures no longer change. `position` is the log position up to which the ledger was
   * complete. `position` is null if the ledger had not read any event yet. `usageThrough` is the position that the usage log had when the
   * measurement of the month began. Closings of earlier versions lack it.
   */
  DomainEvent<
    'RevenueMonthClosed',
    {
      workspaceId: string;
      month: string;
      at: Instant;
      position: string | null;
      usageThrough?: string;
      currencies: readonly MonthFigures[];
    }
  >;

export const revenueMonthEvents: EventCatalog<RevenueMonthEvent> = { RevenueMonthClosed: v1 };
