import { Injectable } from '@nestjs/common';
import { deriveId } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { subscriptionDecider } from '../decider.js';
import { externalIdDecider, externalIdInUse } from './external-id.js';

/**
 * The maximum number of subscriptions to try for one external id. Another one is needed if a deletion of the customer began meanwhile and
 * was then refused, and if a subscription that was created with the external id has another one now.
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
    await this.take(context, externalId, ids[attempt]!, ids.slice(0, attempt));
  }

  /** Takes an external id for an existing subscription. Throws Conflict (`external_id_in_use`) if another subscription has it. */
  async takeForChange(context: CommandContext, externalId: string, subscriptionId: string): Promise<void> {
    const { workspaceId } = context;
    const claim = await this.aggregates.load(externalIdDecider, streamIdOf(workspaceId, externalId));
    // Subscriptions of earlier versions have an external id without an event of it.
    if (!claim) await this.requireNotCreatedWith(workspaceId, externalId, subscriptionId);
    await this.take(context, externalId, subscriptionId, []);
  }

  /** Gives up an external id. Does nothing if another subscription has it. */
  async release(context: CommandContext, externalId: string, subscriptionId: string): Promise<void> {
    const { workspaceId } = context;
    const id = streamIdOf(workspaceId, externalId);
    const claim = await this.aggregates.load(externalIdDecider, id);
    // A subscription of an earlier version takes its id now, so that the stream says that it is given up.
    if (!claim) await this.take(context, externalId, subscriptionId, []);
    await this.aggregates.execute(externalIdDecider, id, followUpContext(context, `release ${id}`), {
      type: 'ReleaseExternalId',
      subscriptionId,
    });
  }

  private async take(
    context: CommandContext,
    externalId: string,
    subscriptionId: string,
    instead: readonly string[],
  ): Promise<void> {
    const id = streamIdOf(context.workspaceId, externalId);
    await this.aggregates.execute(
      externalIdDecider,
      id,
      followUpContext(context, `take ${id} ${subscriptionId}`),
      { type: 'TakeExternalId', subscriptionId, instead },
    );
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
  return aggregateId(workspaceId, deriveId('ext', workspaceId, 'externalId', externalId));
}
