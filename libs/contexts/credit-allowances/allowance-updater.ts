import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { PlannedMigrationFinder } from '#libs/contexts/billing';
import {
  CreditTypeReferences,
  WalletReader,
  WalletStore,
  type PlanAllowance,
  type WalletBlock,
  type WalletChange,
} from '#libs/contexts/credits';
import { migrationTakesEffectAt, Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import { Conflict, decimalString, deriveId, InvalidRequest, sumOf, type Instant } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { createLogger } from '#libs/kernel/system';
import type { Period } from '#libs/rating';
import { allowanceIntervalAt } from './allowance-interval.js';

/** Grants and ends the allowances of subscriptions. */
@Injectable()
export class AllowanceUpdater {
  private readonly logger = createLogger('credit-allowances', 'warn');

  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly references: CreditTypeReferences,
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
    private readonly plannedMigrations: PlannedMigrationFinder,
  ) {}

  /**
   * Grants the allowances of a subscription's plan that are due now. Ends allowances that the subscription no longer gives. The update can
   * be repeated, because each interval gets its allowance only once. Two updates can run at the same time. If the subscription changes
   * meanwhile, the update begins again with the newest terms. A wallet with the maximum number of blocks gets no allowance now, and
   * the refusal is logged.
   *
   * @returns the end of the earliest interval whose allowance was refused, or in which the plan was changed. The next update is due then.
   * Undefined if there is no such interval.
   */
  async updateAllowances(context: CommandContext, subscriptionId: string): Promise<Instant | undefined> {
    for (;;) {
      const subscription = await this.subscriptions.require(context.workspaceId, subscriptionId);
      try {
        return await this.updateBy(context, subscription);
      } catch (error) {
        if (!(error instanceof SubscriptionChanged)) throw error;
      }
    }
  }

  private async updateBy(context: CommandContext, subscription: Subscription): Promise<Instant | undefined> {
    const allowances = await this.references.allowancesOf(context.workspaceId, subscription.planId);
    const failures = new Map<string, unknown>();
    const waitingUntil: Instant[] = [];
    const isMoving = allowances.length > 0 && (await this.isMigrationDue(context, subscription));
    // If the change of one wallet fails, the other wallets must still get their allowances.
    for (const one of isMoving ? [] : allowances)
      try {
        const waiting = await this.grant(context, subscription, one, allowances);
        if (waiting) waitingUntil.push(waiting.end);
      } catch (error) {
        if (error instanceof SubscriptionChanged) throw error;
        failures.set(one.allowance.allowanceId, error);
      }
    await this.endOthers(context, subscription, allowances, new Set(failures.keys()));
    if (failures.size > 0) throw failures.values().next().value;
    return waitingUntil.sort()[0];
  }

  /**
   * Tells whether a price migration takes the place of the subscription's due renewal. The old plan then grants nothing more. The event of
   * the move updates the allowances, or the event of the renewal if the move is refused.
   */
  private async isMigrationDue(
    { workspaceId, now }: CommandContext,
    subscription: Subscription,
  ): Promise<boolean> {
    const { phase, period } = subscription;
    if (phase !== 'active' || now < period.end) return false;
    const planned = await this.plannedMigrations.plannedMigrationsOf(workspaceId, subscription, period.end);
    return planned.some((change) => migrationTakesEffectAt(change, subscription, period.end));
  }

  private logRefusal(
    { workspaceId }: CommandContext,
    { subscriptionId, customerId }: Subscription,
    { creditType: { creditType }, allowance: { allowanceId } }: PlanAllowance,
  ): void {
    this.logger.warn(
      { workspaceId, customerId, creditType, subscriptionId, allowanceId },
      'an allowance was not granted, because the wallet has the maximum number of blocks',
    );
  }

  /**
   * Grants an allowance for the present interval. Returns the interval if the wallet has the maximum number of blocks, or if the plan was
   * changed in the interval, so that nothing may be granted.
   *
   * @param allowances all allowances of the plan
   */
  private async grant(
    context: CommandContext,
    subscription: Subscription,
    one: PlanAllowance,
    allowances: readonly PlanAllowance[],
  ): Promise<Period | undefined> {
    const {
      creditType: { creditType, currency },
      allowance,
    } = one;
    const { workspaceId, now } = context;
    const { subscriptionId, planChange = null } = subscription;
    const period = allowanceIntervalAt(allowance.every, subscription, now);
    if (!period) return undefined;
    const isChanged = isPlanChangedIn(period, subscription);
    const parts = [workspaceId, allowance.allowanceId, subscriptionId, period.start];
    if (isChanged) parts.push(planChange!.amendmentId);
    const ofType = allowances.filter((other) => other.creditType.creditType === creditType);
    const planCredits = decimalString(sumOf(ofType.map((other) => other.allowance.credits)));
    try {
      await this.change(followUpContext(context, parts.join(' ')), subscription, creditType, {
        type: 'GrantAllowance',
        blockId: deriveId('blk', ...parts),
        subscriptionId,
        allowance,
        period,
        planChange,
        planCredits,
        terms: { currency },
      });
      return isChanged ? period : undefined;
    } catch (error) {
      if (!isRefusedForBlocks(error)) throw error;
      this.logRefusal(context, subscription, one);
      return period;
    }
  }

  /**
   * Ends the blocks that the subscription no longer gives. The block of an allowance in `failed` stays, because a part of its credits may
   * roll over when the grant is repeated.
   */
  private async endOthers(
    context: CommandContext,
    subscription: Subscription,
    allowances: readonly PlanAllowance[],
    failed: ReadonlySet<string>,
  ): Promise<void> {
    const { workspaceId, now } = context;
    const { subscriptionId, customerId } = subscription;
    for (const { creditType, blocks } of await this.walletReader.ofCustomer(workspaceId, customerId))
      for (const block of blocks) {
        if (block.allowance?.subscriptionId !== subscriptionId) continue;
        if (failed.has(block.allowance.allowanceId)) continue;
        const ofType = allowances.filter((one) => one.creditType.creditType === creditType);
        if (isGiven(block, subscription, ofType, now)) continue;
        const ending = { type: 'EndAllowance', blockId: block.blockId } as const;
        await this.change(followUpContext(context, block.blockId), subscription, creditType, ending);
      }
  }

  /** Changes a wallet, based on the terms of a subscription. Throws {@link SubscriptionChanged} if those terms have changed meanwhile. */
  private async change(
    context: CommandContext,
    subscription: Subscription,
    creditType: string,
    change: WalletChange,
  ): Promise<void> {
    const { workspaceId } = context;
    const { subscriptionId, customerId } = subscription;
    await this.wallets.change(context, { workspaceId, customerId, creditType }, change, async () => {
      const newest = await this.subscriptions.require(workspaceId, subscriptionId);
      if (!isDeepStrictEqual(newest, subscription)) throw new SubscriptionChanged(subscriptionId);
    });
  }
}

class SubscriptionChanged extends Conflict {
  constructor(subscriptionId: string) {
    super('subscription_changed', `The subscription "${subscriptionId}" was changed meanwhile`);
  }
}

/** Returns true if an error says that the wallet has the maximum number of blocks. A repetition of the grant would be refused too. */
function isRefusedForBlocks(error: unknown): boolean {
  return error instanceof InvalidRequest && error.code === 'too_many_blocks';
}

/**
 * Tells whether the subscription still gives the allowance of a block. A granted block stays until it expires, even if the allowance was
 * removed from the credit type. A block ends before its expiry if the subscription has ended or has another plan. If all allowances of
 * another plan begin with the next interval, the block stays until then. After its expiry, a block
 * is kept only while the renewal or trial end of its subscription is due and not yet applied. A part of its credits may roll over then. A
 * block of a removed allowance is not kept after its expiry.
 */
function isGiven(
  { allowance, expiresAt }: WalletBlock,
  subscription: Subscription,
  allowances: readonly PlanAllowance[],
  now: Instant,
): boolean {
  const { phase, planId, period } = subscription;
  const { allowanceId, planId: planOfBlock } = allowance!;
  if (phase === 'canceled') return false;
  if (planOfBlock !== planId)
    return (
      now < expiresAt! &&
      allowances.length > 0 &&
      allowances.every((one) => isAwaited(one, subscription, now))
    );
  if (now < expiresAt!) return true;
  const isOffered = allowances.some((one) => one.allowance.allowanceId === allowanceId);
  return isOffered && (phase === 'active' || phase === 'trialing') && now >= period.end;
}

/** Tells whether the subscription came to its plan within an interval, or at its beginning. */
function isPlanChangedIn({ start, end }: Period, { planChange }: Subscription): boolean {
  return planChange !== undefined && start <= planChange.at && planChange.at < end;
}

/** Tells whether an allowance begins only with the next interval after a change of plan. */
function isAwaited({ allowance }: PlanAllowance, subscription: Subscription, now: Instant): boolean {
  const interval = allowanceIntervalAt(allowance.every, subscription, now);
  return allowance.onPlanChange === 'next_period' && (!interval || isPlanChangedIn(interval, subscription));
}
