import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { deriveId, type Instant } from '#libs/kernel/core';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import {
  ChangeSubscription,
  nextDue,
  type RunReference,
  type Subscription,
} from '#libs/contexts/subscriptions';
import type { Consolidation } from '../consolidation/events.js';
import { PlannedPriceChanges } from './planned-price-changes.js';

/** Does one thing that has become due for a subscription: a decision on its stream, which one of those who try at once gets. */
@Injectable()
export class SubscriptionAdvancer {
  constructor(
    private readonly commands: CommandBus,
    private readonly priceChanges: PlannedPriceChanges,
  ) {}

  /**
   * Does what is due at `due`, in `run`, or else in the run of the timers of that instant; `consolidation`: what it is billed on together
   * with others. `changed`: whether this call did it, and nobody else.
   */
  async advance(
    context: CommandContext,
    subscription: Subscription,
    due: Instant,
    run: RunReference | undefined,
    consolidation?: Consolidation,
  ): Promise<{ state: Subscription; changed: boolean }> {
    const { workspaceId, now } = context;
    const { subscriptionId } = subscription;
    const priceChanges = mayGoOver(subscription)
      ? await this.priceChanges.of(workspaceId, subscription, due)
      : [];
    return this.commands.execute(
      new ChangeSubscription(follow(context, `pass ${due} ${placeOf(subscription)}`), {
        type: 'AdvanceSubscription',
        subscriptionId,
        due,
        at: now,
        run: run ?? { runId: deriveId('run', workspaceId, due), trigger: 'schedule' },
        ...(consolidation?.billedAt === due ? { consolidation } : {}),
        ...(priceChanges.length > 0 ? { priceChanges } : {}),
      }),
    );
  }
}

/** Tells what is due at one instant apart, one after the other: several changes of terms, a change and the end of a trial. */
function placeOf(subscription: Subscription): string {
  const { phase, amendments } = subscription;
  const past = amendments.filter(({ status }) => status !== 'scheduled').length;
  return [phase, nextDue(subscription)?.kind, past].join(' ');
}

/** Price migrations meet the ends of periods, trials and pauses; what was scheduled for the subscription itself comes before them. */
function mayGoOver(subscription: Subscription): boolean {
  const kind = nextDue(subscription)?.kind;
  return kind === 'boundary' || kind === 'resumption';
}
