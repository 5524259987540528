import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { withStreamCache } from '#libs/kernel/event-store';
import { isFeeInAdvance } from '#libs/rating';
import { ProcessManager, reactByEventType, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import type { SubscriptionAgreement, SubscriptionEvent } from '#libs/contexts/subscriptions';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { lastInstantOfMonth, monthContaining, type BookMonth } from './book-months.js';
import { RevenueAccruals } from './accruals/revenue-accruals.js';

interface Tasks {
  /** Accrues the unbilled revenue of a subscription at the end of a month. */
  'accrue-month': { subscriptionId: string; month: BookMonth };
}

type AccruedTerms = Pick<SubscriptionAgreement, 'subscriptionId' | 'items' | 'minimumCommitment'>;

/** Accrues unbilled revenue at the end of each calendar month, for each subscription that is charged after delivery. */
@Injectable()
export class RevenueProcess extends ProcessManager<Tasks> {
  readonly name = 'revenue';

  constructor(
    clock: WorkspaceClock,
    private readonly accruals: RevenueAccruals,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<SubscriptionEvent, Tasks>({
    SubscriptionCreated: ({ data }) => firstTask(data, data.startedAt, data.timezone),
    // The handler finds out the subscription's time zone.
    SubscriptionAmended: ({ data }) => firstTask(data, data.at, 'UTC'),
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'accrue-month': async ({ subscriptionId, month }, context) => {
      const next = await withStreamCache(() => this.accruals.accrueWhenOver(context, subscriptionId, month));
      return next === undefined ? {} : { tasks: [accrualTask(subscriptionId, next.month, next.dueAt)] };
    },
  };
}

/** The first task of a subscription. A subscription that pays for everything in advance, without a minimum commitment, has none. */
function firstTask(
  { subscriptionId, items, minimumCommitment }: AccruedTerms,
  at: Instant,
  timezone: string,
): TaskRequest<Tasks>[] {
  const isPaidAhead = items.every(({ price }) => price.cadence === 'one_time' || isFeeInAdvance(price));
  if (isPaidAhead && minimumCommitment === undefined) return [];
  const month = monthContaining(at, timezone);
  return [accrualTask(subscriptionId, month, lastInstantOfMonth(month, timezone))];
}

function accrualTask(subscriptionId: string, month: BookMonth, dueAt: Instant): TaskRequest<Tasks> {
  return {
    name: 'accrue-month',
    subject: `${subscriptionId} ${month}`,
    payload: { subscriptionId, month },
    dueAt,
  };
}
