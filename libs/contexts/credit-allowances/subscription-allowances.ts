import { Injectable } from '@nestjs/common';
import {
  CreditTypeReferences,
  WalletStore,
  type PlanAllowance,
  type WalletBlock,
} from '#libs/contexts/credits';
import { Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import { deriveId, type Instant } from '#libs/kernel/core';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import { allowanceInterval } from './allowance-interval.js';

/** Grants and ends the allowances of subscriptions. */
@Injectable()
export class SubscriptionAllowances {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly references: CreditTypeReferences,
    private readonly wallets: WalletStore,
  ) {}

  /**
   * Grants the allowances of a subscription's plan that are due now, and ends those that it does not give any more. It can be repeated: an
   * interval gets its allowance once.
   */
  async update(context: CommandContext, subscriptionId: string): Promise<void> {
    const subscription = await this.subscriptions.require(context.workspaceId, subscriptionId);
    const allowances = await this.references.allowancesOf(context.workspaceId, subscription.planId);
    const refusals: unknown[] = [];
    // A wallet that is full must not keep the other wallets from their allowances.
    for (const one of allowances)
      await this.grant(context, subscription, one).catch((error: unknown) => refusals.push(error));
    await this.endOthers(context, subscription, allowances);
    if (refusals.length > 0) throw refusals[0];
  }

  private async grant(
    context: CommandContext,
    subscription: Subscription,
    { creditType: { creditType, currency }, allowance }: PlanAllowance,
  ): Promise<void> {
    const { workspaceId, now } = context;
    const { subscriptionId, customerId } = subscription;
    const period = allowanceInterval(allowance.every, subscription, now);
    if (!period) return;
    const parts = [workspaceId, allowance.allowanceId, subscriptionId, period.start];
    await this.wallets.change(
      follow(context, parts.join(' ')),
      { workspaceId, customerId, creditType },
      {
        type: 'GrantAllowance',
        blockId: deriveId('blk', ...parts),
        ...{ subscriptionId, allowance, period, terms: { currency } },
      },
    );
  }

  private async endOthers(
    context: CommandContext,
    subscription: Subscription,
    allowances: readonly PlanAllowance[],
  ): Promise<void> {
    const { workspaceId, now } = context;
    const { subscriptionId, customerId } = subscription;
    for (const { creditType, blocks } of await this.wallets.ofCustomer(workspaceId, customerId))
      for (const block of blocks) {
        if (block.allowance?.subscriptionId !== subscriptionId) continue;
        if (isGiven(block, subscription, allowances, now)) continue;
        const ending = { type: 'EndAllowance', blockId: block.blockId } as const;
        const key = { workspaceId, customerId, creditType };
        await this.wallets.change(follow(context, block.blockId), key, ending);
      }
  }
}

/**
 * Tells whether a block is still given. It is until its expiry, unless the subscription has ended or has another plan, also if the
 * allowance was removed meanwhile. After its expiry it is kept while the next period has not begun, because a part may roll over.
 */
function isGiven(
  { allowance, expiresAt }: WalletBlock,
  { phase, planId, period }: Subscription,
  allowances: readonly PlanAllowance[],
  now: Instant,
): boolean {
  const { allowanceId, planId: planOfBlock } = allowance!;
  if (phase === 'canceled' || planOfBlock !== planId) return false;
  if (now < expiresAt!) return true;
  const isOffered = allowances.some((one) => one.allowance.allowanceId === allowanceId);
  return isOffered && (phase === 'active' || phase === 'trialing') && now >= period.end;
}
