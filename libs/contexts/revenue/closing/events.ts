import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The revenue of a month in one currency, as the ledger had it when the month was closed. */
export interface MonthFigures {
  readonly currency: string;
  /** What invoices of the month charged without taxes, less credit notes and voids. */
  readonly billed: DecimalString;
  /** What was earned in the month. */
  readonly recognised: DecimalString;
  /** What was invoiced and not earned at the end of the month. */
  readonly deferred: DecimalString;
  /** What was earned and not invoiced at the end of the month. */
  readonly unbilled: DecimalString;
}

export type RevenueMonthEvent =
  /** The figures of a month were frozen. `position` is the position in the log up to which the ledger was complete. */
  DomainEvent<
    'RevenueMonthClosed',
    {
      workspaceId: string;
      month: string;
      at: Instant;
      position: string | null;
      currencies: readonly MonthFigures[];
    }
  >;

export const revenueMonthEvents: EventCatalog<RevenueMonthEvent> = { RevenueMonthClosed: v1 };
