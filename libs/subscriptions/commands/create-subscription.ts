import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Catalog } from '#libs/catalog';
import { Customers } from '#libs/customers';
import { AggregateStore, aggregateId, idFor, type CommandContext } from '#libs/event-store';
import { WorkspaceClock } from '#libs/workspaces';
import { subscriptionDecider, type Subscription } from '../subscription.js';

/** Subscribes a customer to the published version of a plan, from now on. */
export class CreateSubscription extends Command<Subscription> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    readonly planId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateSubscription)
export class CreateSubscriptionHandler implements ICommandHandler<CreateSubscription> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
    private readonly catalog: Catalog,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * The invoices are in the plan's currency, whatever the customer's default is. Throws NotFound if the customer or
   * the plan is not in the workspace, and what the catalog says of a plan that cannot be subscribed to.
   */
  async execute({ context, customerId, planId }: CreateSubscription): Promise<Subscription> {
    const { accountId } = context;
    const { timezone } = await this.customers.require(accountId, customerId);
    const { name: planName, ...plan } = await this.catalog.resolvePlan(accountId, planId);
    await this.clock.markInUse(accountId);
    // Read again: until it was marked, the clock could still be set back.
    const at = await this.clock.now(accountId);
    const subscriptionId = idFor(context, 'sub');
    const { state } = await this.aggregates.execute(
      subscriptionDecider,
      aggregateId(accountId, subscriptionId),
      { ...context, now: at },
      { type: 'CreateSubscription', subscriptionId, customerId, plan: { ...plan, planName }, timezone, at },
    );
    return state;
  }
}
