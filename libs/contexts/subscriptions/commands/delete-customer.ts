import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pMap from 'p-map';
import { Conflict } from '#libs/kernel/core';
import { Customers } from '#libs/contexts/customers';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { subscriptionDecider } from '../decider.js';
import type { Subscription } from '../subscription.js';

const READ_AT_ONCE = 32;
const MAX_NAMED = 10;

/**
 * Deletes a customer whose subscriptions have all ended. Throws NotFound if the customer is not in the workspace or is already deleted.
 * Throws Conflict (`customer_has_subscriptions`) if a subscription has not ended, or is being created at this moment.
 */
export class DeleteCustomer extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
  ) {
    super();
  }
}

/**
 * Customers and subscriptions have different streams, which cannot be written in one transaction. The creation of a subscription therefore
 * first writes a reference into the customer's stream, which accepts none after the customer's deletion. The deletion of a customer checks
 * each reference:
 *
 * 1. If the subscription has not ended, the deletion is refused.
 * 2. A subscription can be missing because another request is about to create it, or because the process that should have created it
 *    crashed. The deletion closes the stream of a missing subscription, so that it will never be created.
 * 3. The customer is deleted if no new reference was written during the checks.
 */
@CommandHandler(DeleteCustomer)
export class DeleteCustomerHandler implements ICommandHandler<DeleteCustomer> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
  ) {}

  async execute({ context, customerId }: DeleteCustomer): Promise<void> {
    const { workspaceId } = context;
    await this.customers.require(workspaceId, customerId);
    const references = await this.customers.referencedSubscriptionIds(workspaceId, customerId);
    const missing = await this.findMissing(workspaceId, customerId, [...new Set(references)]);
    for (const subscriptionId of missing) await this.preventCreation(context, customerId, subscriptionId);
    await this.customers.delete(context, customerId, references.length);
  }

  /**
   * Returns the ids of the referenced subscriptions that do not exist. Throws Conflict if one of the existing subscriptions has not ended.
   */
  private async findMissing(
    workspaceId: string,
    customerId: string,
    subscriptionIds: readonly string[],
  ): Promise<string[]> {
    const find = (subscriptionId: string) => this.find(workspaceId, subscriptionId);
    const found = await pMap(subscriptionIds, find, { concurrency: READ_AT_ONCE });
    const live = found.filter((subscription) => subscription && isLiveFor(customerId, subscription));
    refuseIfLive(
      customerId,
      live.map((subscription) => subscription!.subscriptionId),
    );
    return subscriptionIds.filter((_, index) => found[index] === undefined);
  }

  /**
   * Makes sure that the subscription will never be created. Throws Conflict if the subscription was created meanwhile and has not ended.
   */
  private async preventCreation(
    context: CommandContext,
    customerId: string,
    subscriptionId: string,
  ): Promise<void> {
    const id = aggregateId(context.workspaceId, subscriptionId);
    const following = followUpContext(context, `forestall ${subscriptionId}`);
    if (await this.aggregates.closeEmptyStream(subscriptionDecider, id, following)) return;
    const subscription = await this.find(context.workspaceId, subscriptionId);
    if (subscription && isLiveFor(customerId, subscription)) refuseIfLive(customerId, [subscriptionId]);
  }

  private find(workspaceId: string, subscriptionId: string): Promise<Subscription | undefined> {
    return this.aggregates.load(subscriptionDecider, aggregateId(workspaceId, subscriptionId));
  }
}

/**
 * Tells whether the subscription belongs to the customer and has not ended. The subscription can belong to another customer, if it was
 * created there at the same moment with the same external id.
 */
function isLiveFor(customerId: string, subscription: Subscription): boolean {
  return subscription.customerId === customerId && subscription.phase !== 'canceled';
}

function refuseIfLive(customerId: string, live: readonly string[]): void {
  if (live.length > 0)
    throw new Conflict(
      'customer_has_subscriptions',
      `Customer "${customerId}" has subscriptions that have not ended (${live.slice(0, MAX_NAMED).join(', ')}); cancel them first`,
    );
}
