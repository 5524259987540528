import { Injectable } from '@nestjs/common';
import pMap from 'p-map';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import { latestInstantOfDate } from '#libs/contexts/ledger';
import {
  ClosedMonths,
  lastInstantOfMonth,
  MonthLock,
  OverageAccruals,
  PendingMonthReader,
  requireNextMonth,
  requireNoEarlierMonths,
  RevenueAccruals,
  type BookMonth,
  type ClosedMonth,
  type ClosingMonth,
} from '#libs/contexts/revenue';
import { InvalidRequest, pick, Unavailable } from '#libs/kernel/core';
import { EventFeed, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { newUlid } from '#libs/kernel/system';
import { ReadModelProgress } from '#libs/kernel/projection';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { LogHead } from '#libs/usage';
import { SubscriptionQueries } from '#projections/subscriptions';
import { WalletQueries } from '#projections/wallets';
import { RevenueReports } from './revenue-reports.js';

/** The number of subscriptions whose unbilled revenue is measured at the same time. */
const AT_ONCE = 4;
/** The maximum time to wait until the read models have processed the whole event log, in milliseconds. */
const READABLE_MILLIS = 60_000;

/** Closes months: measures once more what was earned in the month and is not invoiced, and then freezes the figures of the ledger. */
@Injectable()
export class MonthCloser {
  constructor(
    private readonly closed: ClosedMonths,
    private readonly lock: MonthLock,
    private readonly accruals: RevenueAccruals,
    private readonly overage: OverageAccruals,
    private readonly pending: PendingMonthReader,
    private readonly wallets: WalletQueries,
    private readonly reports: RevenueReports,
    private readonly subscriptions: SubscriptionQueries,
    private readonly settings: CurrentBillingSettings,
    private readonly feed: EventFeed,
    private readonly readModels: ReadModelProgress,
    private readonly clock: WorkspaceClock,
    private readonly usage: LogHead,
  ) {}

  /**
   * Closes a month. A month that is already closed is returned without a change. Throws:
   *
   * - InvalidRequest if the month is not over in all time zones
   * - Conflict (`month_out_of_order`) if the month before it is open
   * - Conflict (`earlier_months_open`) if it would be the first closed month and earlier months have postings, unless `skipsEarlierMonths`
   * - Unavailable (`ledger_behind`) if the read models do not process the whole event log in time
   * - the errors of {@link MonthLock.runClosing}
   */
  async close(
    received: CommandContext,
    month: BookMonth,
    { skipsEarlierMonths = false }: { skipsEarlierMonths?: boolean | undefined } = {},
  ): Promise<ClosedMonth> {
    const known = await this.closedUnlessRefused(received, month);
    if (known) return known;
    // At an earlier time, documents would be posted in the closed month.
    await this.clock.markInUse(received.workspaceId);
    // Read the clock again. Before the clock was marked as in use, a sandbox's clock could still be set back. `closeAlone` checks this time.
    const context = { ...received, now: await this.clock.now(received.workspaceId) };
    // The read models list the subscriptions and wallets to measure, so they must be current. The wait is before the lock, because accruals
    // of the saga wait for the lock.
    await this.untilReadable();
    if (!skipsEarlierMonths) await this.requireFirstPostedMonth(context, month);
    return this.lock.runClosing(context.workspaceId, (requireHeld) =>
      this.closeAlone(context, month, requireHeld),
    );
  }

  private async closedUnlessRefused(
    context: CommandContext,
    month: BookMonth,
  ): Promise<ClosedMonth | undefined> {
    const before = await this.closed.ofWorkspace(context.workspaceId);
    const known = before.find((one) => one.month === month);
    if (known) return known;
    requireOver(context, month);
    requireNextMonth(before, month);
    return undefined;
  }

  private async requireFirstPostedMonth({ workspaceId }: CommandContext, month: BookMonth): Promise<void> {
    const closed = await this.closed.ofWorkspace(workspaceId);
    requireNoEarlierMonths(closed, month, await this.reports.firstPostedMonth(workspaceId));
  }

  private async closeAlone(
    context: CommandContext,
    month: BookMonth,
    requireHeld: () => Promise<unknown>,
  ): Promise<ClosedMonth> {
    const { workspaceId, now } = context;
    // Another request may have closed the month while this request waited for the lock.
    const known = await this.closedUnlessRefused(context, month);
    if (known) return known;
    // Read before the measurement, so that a subscription without an accrual has no other usage than this.
    const usageThrough = await this.usage.read();
    await this.accrueAll(context, await this.closingOf(context, month));
    // The ledger must contain these accruals, and the accruals that the saga made before.
    await this.untilReadable();
    const { figures, position } = await this.reports.monthFigures(
      workspaceId,
      { from: month, to: month },
      now,
    );
    const currencies = figures.map((one) =>
      pick(one, ['currency', 'billed', 'recognised', 'deferred', 'unbilled']),
    );
    await requireHeld();
    return this.closed.close(context, month, { position, usageThrough, currencies });
  }

  /** Waits until the read models have processed all events that the event log has now. */
  private async untilReadable(): Promise<void> {
    const head = await this.feed.readHead();
    if (head === undefined || (await this.readModels.waitFor(head, READABLE_MILLIS))) return;
    throw new Unavailable(
      'ledger_behind',
      'The reports do not show the latest changes yet; try again shortly',
    );
  }

  private async closingOf({ workspaceId }: CommandContext, month: BookMonth): Promise<ClosingMonth> {
    const { timezone = null } = await this.settings.ofWorkspace(workspaceId);
    return { month, timezone };
  }

  private async accrueAll(context: CommandContext, closing: ClosingMonth): Promise<void> {
    const { workspaceId } = context;
    const { month } = closing;
    // A repeated request measures again. An accrual without a difference appends nothing.
    const attempt = newUlid();
    const commandContextOf = (id: string) => followUpContext(context, `close ${month} ${id} ${attempt}`);
    const pending = await this.pending.firstPendingMonths(workspaceId);
    for await (const page of this.subscriptions.allPages(workspaceId))
      await pMap(
        page,
        (one) => this.accruals.accrueThrough(commandContextOf(one.subscriptionId), one, closing, pending),
        {
          concurrency: AT_ONCE,
        },
      );
    await pMap(
      await this.wallets.walletsThatHadOverage(workspaceId),
      (one) =>
        this.overage.accrueThrough(
          commandContextOf(`${one.customerId}.${one.creditType}`),
          one,
          closing,
          pending,
        ),
      { concurrency: AT_ONCE },
    );
  }
}

/**
 * Requires that the month is over in all time zones. Older documents keep the time zone that the billing settings had, and balance
 * adjustments have the customer's. So a posting in the present time zone's next month can still have a date in this month.
 */
function requireOver({ now }: CommandContext, month: BookMonth): void {
  const end = latestInstantOfDate(lastInstantOfMonth(month, 'UTC').slice(0, 10));
  if (now <= end)
    throw InvalidRequest.field(
      'period',
      `must be a month that is over in all time zones; ${month} ends after ${end}, and the workspace's clock says ${now}`,
    );
}
