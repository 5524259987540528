import { Injectable } from '@nestjs/common';
import type { WalletKey } from '#libs/contexts/credits';
import type { CommandContext } from '#libs/kernel/event-store';
import type { BookMonth } from '../book-months.js';
import { MonthAccruer, type ClosingMonth, type NextAccrual } from './month-accruer.js';
import type { FirstPendingMonths } from './pending-month-reader.js';
import { UnbilledOverageMeter } from './unbilled-overage.js';

/** Wallets have no time zone, so their months end in UTC if the billing settings have no time zone. */
const TIMEZONE = 'UTC';

/** Accrues the overage of prepaid credits at the end of each month, for each wallet. */
@Injectable()
export class OverageAccruals {
  constructor(
    private readonly meter: UnbilledOverageMeter,
    private readonly months: MonthAccruer,
  ) {}

  /**
   * Accrues the overage of a month if the month is over, and returns the next month to accrue. If the month is not over, returns the same
   * month with its end. Returns undefined if the wallet had no unbilled overage at the end of the month and has none now.
   */
  async accrueIfMonthIsOver(
    context: CommandContext,
    key: WalletKey,
    month: BookMonth,
  ): Promise<NextAccrual | undefined> {
    let hasMore = true;
    const source = this.sourceOf(key, (more) => (hasMore = more));
    return this.months.accrueIfMonthIsOver(
      context,
      source,
      month,
      (_, unbilled) => unbilled === 0 && !hasMore,
    );
  }

  /**
   * Accrues the overage of a month again, before the month is closed: see {@link MonthAccruer.accrueThrough}. `pending` contains the months
   * that the saga still has to accrue.
   */
  async accrueThrough(
    context: CommandContext,
    key: WalletKey,
    closing: ClosingMonth,
    pending: FirstPendingMonths,
  ): Promise<void> {
    const { month } = closing;
    const source = this.sourceOf(key);
    const next = pending.get(source.id) ?? month;
    await this.months.accrueThrough(context, source, closing, async () => (next < month ? next : month));
  }

  private sourceOf(key: WalletKey, onMeasured: (hasMore: boolean) => void = () => undefined) {
    return {
      id: `${key.customerId}.${key.creditType}`,
      timezone: TIMEZONE,
      measure: async (end: Parameters<UnbilledOverageMeter['measure']>[1]) => {
        // Usage counts when it arrives, so a second measurement of a month would find the same.
        if (end.lastAccrual?.month === end.month) return undefined;
        const { measured, hasMore } = await this.meter.measure(key, end);
        onMeasured(hasMore);
        return measured;
      },
    };
  }
}
