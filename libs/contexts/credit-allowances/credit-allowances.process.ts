import { Injectable } from '@nestjs/common';
import { CreditTypeReferences, type WalletEvent } from '#libs/contexts/credits';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { ProcessManager, reactByEventType, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { AllowanceUpdater } from './allowance-updater.js';

interface Tasks {
  'update-allowances': { subscriptionId: string };
}

/** Grants and ends the allowances of a plan when a subscription begins, renews, changes or ends, and when an interval ends. */
@Injectable()
export class CreditAllowancesProcess extends ProcessManager<Tasks> {
  readonly name = 'credit-allowances';

  constructor(
    clock: WorkspaceClock,
    private readonly references: CreditTypeReferences,
    private readonly allowances: AllowanceUpdater,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<SubscriptionEvent | WalletEvent, Tasks>({
    SubscriptionCreated: ({ data }) => updateTask(data),
    SubscriptionStarted: ({ data }) => updateTask(data),
    SubscriptionTrialEnded: ({ data }) => updateTask(data),
    SubscriptionRenewed: ({ data }) => updateTask(data),
    SubscriptionPaused: ({ data }) => updateTask(data),
    SubscriptionResumed: ({ data }) => updateTask(data),
    SubscriptionAmended: ({ data }) => updateTask(data),
    SubscriptionCanceled: ({ data }) => updateTask(data),
    CreditsGranted: ({ data: { allowance, expiresAt } }) =>
      allowance ? updateTask(allowance, { dueAt: expiresAt! }) : [],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'update-allowances': async ({ subscriptionId }, context) => {
      const dueAt = await this.allowances.updateAllowances(context, subscriptionId);
      if (dueAt === undefined) return {};
      // No event follows from a refused allowance, so the task of the next interval is requested here.
      const next = updateTask({ subscriptionId }, { dueAt });
      return { tasks: next.map((task) => ({ ...task, subject: subscriptionId, key: dueAt })) };
    },
  };

  /**
   * Returns only the workspaces with allowances. Most workspaces have no allowances, so the many events of their subscriptions are skipped.
   */
  override workspacesWithWork(workspaceIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.references.workspacesWithAllowances(workspaceIds);
  }
}

function updateTask(
  { subscriptionId }: { subscriptionId: string },
  options: { dueAt?: string } = {},
): TaskRequest<Tasks>[] {
  return [{ name: 'update-allowances', payload: { subscriptionId }, ...options }];
}
