import { Injectable } from '@nestjs/common';
import { deriveId } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { subscriptionDecider } from '../decider.js';
import type { ClaimedExternalId } from '../events.js';
import { externalIdDecider, externalIdInUse, type ExternalIdClaim } from './external-id.js';

/**
 * The maximum number of subscriptions to try for one external id. Another one is needed if a subscription that was created with the external
 * id has another one now. Another one is also needed if a deletion of the customer began meanwhile and was then refused.
 */
export const MAX_SUBSCRIPTIONS_PER_EXTERNAL_ID = 8;

/** Returns the id of the subscription that a request with an external id creates, at its first attempt (0) or a later one. */
export function subscriptionIdFor(workspaceId: string, externalId: string, attempt: number): string {
  return deriveId('sub', workspaceId, 'externalId', externalId, ...(attempt === 0 ? [] : [String(attempt)]));
}

/** Keeps the external ids of subscriptions unique in a workspace. */
@Injectable()
export class ExternalIds {
  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * Takes an external id for a subscription that is being created. Throws Conflict (`external_id_in_use`) if another subscription has it.
   *
   * @param attempt the number of the attempt to create the subscription, from 0
   */
  async takeForCreation(context: CommandContext, externalId: string, attempt: number): Promise<void> {
    const ids = Array.from({ length: attempt + 1 }, (_, earlier) =>
      subscriptionIdFor(context.workspaceId, externalId, earlier),
    );
    const claim = { subscriptionId: ids[attempt]!, claimId: context.commandId };
    await this.take(context, externalId, claim, ids.slice(0, attempt));
  }

  /**
   * Takes an external id for an existing subscription, and returns its claim. Throws Conflict (`external_id_in_use`) if another
   * subscription has the id.
   */
  async takeForChange(
    context: CommandContext,
    externalId: string,
    subscriptionId: string,
  ): Promise<ClaimedExternalId> {
    const { workspaceId } = context;
    // Subscriptions of earlier versions have an external id without an event of it.
    if (!(await this.find(workspaceId, externalId)))
      await this.requireNotCreatedWith(workspaceId, externalId, subscriptionId);
    const claim = { subscriptionId, claimId: context.commandId };
    await this.take(context, externalId, claim, []);
    return { hash: hashOf(workspaceId, externalId), claimId: claim.claimId };
  }

  /**
   * Returns the claim of an external id that a subscription has. A subscription of an earlier version takes its id now. Returns undefined
   * if another subscription claims the external id.
   */
  async claimOf(
    context: CommandContext,
    externalId: string,
    subscriptionId: string,
  ): Promise<ClaimedExternalId | undefined> {
    const { workspaceId } = context;
    const { claim = null } = (await this.find(workspaceId, externalId)) ?? {};
    if (claim === null) return this.takeForChange(context, externalId, subscriptionId);
    if (claim.subscriptionId !== subscriptionId) return undefined;
    return { hash: hashOf(workspaceId, externalId), claimId: claim.claimId };
  }

  /** Gives up a subscription's claim of an external id. Does nothing if the external id was taken again meanwhile. */
  async release(
    context: CommandContext,
    subscriptionId: string,
    { hash, claimId }: ClaimedExternalId,
  ): Promise<void> {
    const claim = { subscriptionId, claimId };
    const id = aggregateId(context.workspaceId, hash);
    const releasing = followUpContext(context, `release ${id} ${claim.claimId}`);
    await this.aggregates.execute(externalIdDecider, id, releasing, { type: 'ReleaseExternalId', claim });
  }

  private find(workspaceId: string, externalId: string) {
    return this.aggregates.load(externalIdDecider, streamIdOf(workspaceId, externalId));
  }

  private async take(
    context: CommandContext,
    externalId: string,
    claim: ExternalIdClaim,
    instead: readonly string[],
  ): Promise<void> {
    const id = streamIdOf(context.workspaceId, externalId);
    const taking = followUpContext(context, `take ${id} ${claim.subscriptionId}`);
    await this.aggregates.execute(externalIdDecider, id, taking, { type: 'TakeExternalId', claim, instead });
  }

  private async requireNotCreatedWith(
    workspaceId: string,
    externalId: string,
    subscriptionId: string,
  ): Promise<void> {
    for (let attempt = 0; attempt < MAX_SUBSCRIPTIONS_PER_EXTERNAL_ID; attempt++) {
      const other = subscriptionIdFor(workspaceId, externalId, attempt);
      const created = await this.aggregates.load(subscriptionDecider, aggregateId(workspaceId, other));
      if (created?.externalId === externalId && other !== subscriptionId) throw externalIdInUse(other);
    }
  }
}

function streamIdOf(workspaceId: string, externalId: string): string {
  return aggregateId(workspaceId, hashOf(workspaceId, externalId));
}

function hashOf(workspaceId: string, externalId: string): string {
  return deriveId('ext', workspaceId, 'externalId', externalId);
}
