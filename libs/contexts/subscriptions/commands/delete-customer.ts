import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Conflict } from '#libs/kernel/core';
import { customerDecider, requireCustomer, type CustomerEvent } from '#libs/contexts/customers';
import { AggregateStore, follow, StreamReader, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { subscriptionDecider } from '../decider.js';
import type { Subscription } from '../subscription.js';

const REFERENCE: CustomerEvent['type'] = 'CustomerReferenced';
const READ_AT_ONCE = 32;
const MAX_NAMED = 10;

/**
 * Deletes a customer all of whose subscriptions have ended. NotFound if it is not in the workspace or is deleted. Conflict
 * (`customer_has_subscriptions`) while a subscription goes on, or begins at this moment.
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
 * Customers and subscriptions are different streams, which cannot be written together. So whoever subscribes a customer leaves a
 * reference on the customer's stream first, which a deleted customer refuses. Whoever deletes one looks at each reference:
 *
 * 1. Its subscription goes on: the deletion is refused.
 * 2. It is not there: it is about to be created, or its process has died. Its stream is closed, so that it never will be.
 * 3. The customer is deleted if no reference was left meanwhile.
 */
@CommandHandler(DeleteCustomer)
export class DeleteCustomerHandler implements ICommandHandler<DeleteCustomer> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly streams: StreamReader,
  ) {}

  async execute({ context, customerId }: DeleteCustomer): Promise<void> {
    const { workspaceId } = context;
    const id = aggregateId(workspaceId, customerId);
    requireCustomer(customerId, await this.aggregates.load(customerDecider, id));
    const references = await this.referencesOf(id);
    const missing = await this.missingOf(workspaceId, customerId, [...new Set(references)]);
    for (const subscriptionId of missing) await this.forestall(context, customerId, subscriptionId);
    const command = { type: 'DeleteCustomer', customerId, settled: references.length } as const;
    await this.aggregates.execute(customerDecider, id, context, command);
  }

  /** The ids of the subscriptions that were created for the customer, or were about to be. */
  private async referencesOf(id: string): Promise<string[]> {
    const events = await this.streams.read(`${customerDecider.category}-${id}`);
    return events.flatMap(({ type, data }) =>
      type === REFERENCE ? [(data as { subscriptionId: string }).subscriptionId] : [],
    );
  }

  /** Those of the subscriptions that are not there. Conflict if others go on. */
  private async missingOf(
    workspaceId: string,
    customerId: string,
    subscriptionIds: readonly string[],
  ): Promise<string[]> {
    const missing: string[] = [];
    const live: string[] = [];
    for (let from = 0; from < subscriptionIds.length; from += READ_AT_ONCE) {
      const some = subscriptionIds.slice(from, from + READ_AT_ONCE);
      const found = await Promise.all(some.map((subscriptionId) => this.find(workspaceId, subscriptionId)));
      for (const [index, subscription] of found.entries()) {
        if (!subscription) missing.push(some[index]!);
        else if (goesOnFor(customerId, subscription)) live.push(subscription.subscriptionId);
      }
    }
    requireNone(customerId, live);
    return missing;
  }

  /** Makes sure that the subscription will never be created. Conflict if it has been meanwhile. */
  private async forestall(
    context: CommandContext,
    customerId: string,
    subscriptionId: string,
  ): Promise<void> {
    const id = aggregateId(context.workspaceId, subscriptionId);
    const following = follow(context, `forestall ${subscriptionId}`);
    if (await this.aggregates.close(subscriptionDecider, id, following)) return;
    const subscription = await this.find(context.workspaceId, subscriptionId);
    if (subscription && goesOnFor(customerId, subscription)) requireNone(customerId, [subscriptionId]);
  }

  private find(workspaceId: string, subscriptionId: string): Promise<Subscription | undefined> {
    return this.aggregates.load(subscriptionDecider, aggregateId(workspaceId, subscriptionId));
  }
}

/** An external id that two customers are subscribed with at once can be another customer's in the end. */
function goesOnFor(customerId: string, subscription: Subscription): boolean {
  return subscription.customerId === customerId && subscription.phase !== 'canceled';
}

function requireNone(customerId: string, live: readonly string[]): void {
  if (live.length > 0)
    throw new Conflict(
      'customer_has_subscriptions',
      `Customer "${customerId}" has subscriptions that have not ended (${live.slice(0, MAX_NAMED).join(', ')}); cancel them first`,
    );
}
