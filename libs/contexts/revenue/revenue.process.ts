import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { walletId, type WalletEvent, type WalletKey } from '#libs/contexts/credits';
import { withStreamCache, type CommandContext } from '#libs/kernel/event-store';
import { ProcessManager, reactByEventType, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import type { SubscriptionAgreement, SubscriptionEvent } from '#libs/contexts/subscriptions';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { lastInstantOfMonth, monthContaining, type BookMonth } from './book-months.js';
import type { NextAccrual } from './accruals/month-accruer.js';
import { isPaidInAdvance } from './accruals/paid-ahead.js';
import { OverageAccruals } from './accruals/overage-accruals.js';
import { RevenueAccruals } from './accruals/revenue-accruals.js';
import { MonthLock } from './closing/month-lock.js';

interface Tasks {
  /** Accrues the unbilled revenue of a subscription at the end of a month. */
  'accrue-month': { subscriptionId: string; month: BookMonth };
  /** Accrues the overage of a wallet at the end of a month. */
  'accrue-overage': WalletKey & { month: BookMonth };
}

/**
 * The time zones in which a month ends last (farthest west) and first (farthest east). The time zone names `Etc/GMT+12` and `Etc/GMT-14`
 * have the opposite sign of their UTC offset.
 */
const [FARTHEST_WEST, FARTHEST_EAST] = ['Etc/GMT+12', 'Etc/GMT-14'];

type AccruedTerms = Pick<SubscriptionAgreement, 'subscriptionId' | 'items' | 'minimumCommitment'>;

/**
 * Accrues unbilled revenue at the end of each calendar month, for each subscription that is charged after delivery, and for each wallet
 * with overage.
 */
@Injectable()
export class RevenueProcess extends ProcessManager<Tasks> {
  readonly name = 'revenue';

  constructor(
    clock: WorkspaceClock,
    private readonly accruals: RevenueAccruals,
    private readonly overage: OverageAccruals,
    private readonly lock: MonthLock,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<SubscriptionEvent | WalletEvent, Tasks>({
    SubscriptionCreated: ({ data }) => firstTask(data, data.startedAt, data.timezone),
    // The event has no time zone, so UTC is assumed. The handler uses the subscription's time zone.
    SubscriptionAmended: ({ data }) => firstTask(data, data.at, 'UTC'),
    // If an earlier version of Countinghouse created the subscription, and it was paused during the upgrade, it has no accrual yet.
    SubscriptionResumed: ({ data }) => [taskOfMonth(data.subscriptionId, data.at, 'UTC')],
    CreditsDrawnDown: ({ data, metadata: { workspaceId } }) => {
      if (data.draws.every(({ blockId }) => blockId !== null)) return [];
      // The event has no time zone. So there is a task for each month that the instant has in any time zone. The task of the earlier month
      // can be done already, and then no later task follows from it.
      const months = [FARTHEST_WEST, FARTHEST_EAST].map((timezone) => monthContaining(data.at, timezone));
      return [...new Set(months)].map((month) =>
        overageTask(workspaceId, data, { month, dueAt: lastInstantOfMonth(month, FARTHEST_EAST) }),
      );
    },
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'accrue-month': async ({ subscriptionId, month }, context) => {
      const next = await this.accrue(context, () =>
        this.accruals.accrueIfMonthIsOver(context, subscriptionId, month),
      );
      return next === undefined ? {} : { tasks: [accrualTask(subscriptionId, next)] };
    },
    'accrue-overage': async ({ month, ...wallet }, context) => {
      const next = await this.accrue(context, () => this.overage.accrueIfMonthIsOver(context, wallet, month));
      return next === undefined ? {} : { tasks: [overageTask(context.workspaceId, wallet, next)] };
    },
  };

  /**
   * Runs an accrual while no month of the workspace is being closed. The cache of the streams that the accrual reads is created only after
   * the lock is taken. A closing can change these streams while the accrual waits.
   */
  private accrue<T>({ workspaceId }: CommandContext, work: () => Promise<T>): Promise<T> {
    return this.lock.runAccrual(workspaceId, () => withStreamCache(work));
  }
}

/**
 * The first accrual task of a subscription. A subscription that pays everything in advance, without a minimum commitment, has no accrual
 * task.
 */
function firstTask(
  { subscriptionId, items, minimumCommitment }: AccruedTerms,
  at: Instant,
  timezone: string,
): TaskRequest<Tasks>[] {
  return isPaidInAdvance({ items, minimumCommitment }) ? [] : [taskOfMonth(subscriptionId, at, timezone)];
}

/** The accrual task at the end of the month that contains an instant. */
function taskOfMonth(subscriptionId: string, at: Instant, timezone: string): TaskRequest<Tasks> {
  const month = monthContaining(at, timezone);
  return accrualTask(subscriptionId, { month, dueAt: lastInstantOfMonth(month, timezone) });
}

/**
 * The due time is the key of the task. If the handler finds that the month ends later in another time zone, the task for the later time
 * needs another key.
 */
function accrualTask(subscriptionId: string, { month, dueAt }: NextAccrual): TaskRequest<Tasks> {
  return {
    name: 'accrue-month',
    subject: `${subscriptionId} ${month}`,
    key: dueAt,
    payload: { subscriptionId, month },
    dueAt,
  };
}

/** The id of a wallet contains the workspace. Two workspaces can have the same customer id and credit type. */
function overageTask(
  workspaceId: string,
  { customerId, creditType }: WalletKey,
  { month, dueAt }: NextAccrual,
): TaskRequest<Tasks> {
  return {
    name: 'accrue-overage',
    subject: `${walletId(workspaceId, { customerId, creditType })} ${month}`,
    key: dueAt,
    payload: { customerId, creditType, month },
    dueAt,
  };
}
