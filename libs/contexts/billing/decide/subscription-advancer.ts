import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { deriveId, type Instant } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import {
  ChangeSubscription,
  nextDueChange,
  pricesInChange,
  type RunReference,
  type Subscription,
} from '#libs/contexts/subscriptions';
import type { Consolidation } from '../consolidation/events.js';
import { LicenseCounter } from './license-counter.js';
import { PlannedMigrationFinder } from './planned-migration-finder.js';
import { TrialUsageRecorder } from './trial-usage-recorder.js';

/** Applies the next due change to a subscription. If several callers apply the same change, only one succeeds. */
@Injectable()
export class SubscriptionAdvancer {
  constructor(
    private readonly commands: CommandBus,
    private readonly plannedMigrations: PlannedMigrationFinder,
    private readonly licenses: LicenseCounter,
    private readonly trialUsage: TrialUsageRecorder,
  ) {}

  /**
   * Applies the change that is due at `due`. The stored event names the billing run `run`. Without `run`, the event names the scheduled
   * billing run of the instant `due`. `consolidation` is the decision which subscriptions share the invoice. `changed` is false if another
   * caller had already applied the change.
   */
  async applyDueChange(
    context: CommandContext,
    subscription: Subscription,
    due: Instant,
    run: RunReference | undefined,
    consolidation?: Consolidation,
  ): Promise<{ state: Subscription; changed: boolean }> {
    const { workspaceId, now } = context;
    const { subscriptionId } = subscription;
    const plannedMigrations = canBeMigratedNow(subscription)
      ? await this.plannedMigrations.plannedMigrationsOf(workspaceId, subscription, due)
      : [];
    const prices = plannedMigrations.flatMap(({ amendment }) => pricesInChange(amendment.change));
    await this.licenses.countLicensesForPrices(context, subscription, prices);
    await this.trialUsage.recordBeforeChange(workspaceId, subscription);
    return this.commands.execute(
      new ChangeSubscription(followUpContext(context, `pass ${due} ${dueChangeName(subscription)}`), {
        type: 'AdvanceSubscription',
        subscriptionId,
        due,
        at: now,
        run: run ?? { runId: deriveId('run', workspaceId, due), trigger: 'schedule' },
        ...(consolidation?.billedAt === due ? { consolidation } : {}),
        ...(plannedMigrations.length > 0 ? { plannedMigrations } : {}),
      }),
    );
  }
}

/**
 * A name for the due change. The name distinguishes changes at the same instant, such as two amendments, or an amendment and the end of a
 * trial.
 */
function dueChangeName(subscription: Subscription): string {
  const { phase, amendments } = subscription;
  const past = amendments.filter(({ status }) => status !== 'scheduled').length;
  return [phase, nextDueChange(subscription)?.kind, past].join(' ');
}

/**
 * Price migrations take effect at the ends of periods, trials and pauses. Changes that are scheduled on the subscription itself are applied
 * before a price migration.
 */
function canBeMigratedNow(subscription: Subscription): boolean {
  const kind = nextDueChange(subscription)?.kind;
  return kind === 'boundary' || kind === 'resumption';
}
