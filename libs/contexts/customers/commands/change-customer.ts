import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { TaxRates } from '#libs/contexts/taxes';
import { customerDecider, type Customer, type CustomerCommand } from '../customer.js';

/**
 * Changes an existing customer, attaches or detaches a payment method, or makes one the default. The deletion of a customer is a separate
 * command, because it must first check the customer's subscriptions.
 */
export class ChangeCustomer extends Command<Customer> {
  constructor(
    readonly context: CommandContext,
    readonly change: Exclude<
      CustomerCommand,
      { type: 'CreateCustomer' | 'ReferenceCustomer' | 'DeleteCustomer' }
    >,
  ) {
    super();
  }
}

@CommandHandler(ChangeCustomer)
export class ChangeCustomerHandler implements ICommandHandler<ChangeCustomer> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly taxRates: TaxRates,
  ) {}

  async execute({ context, change }: ChangeCustomer): Promise<Customer> {
    const id = aggregateId(context.workspaceId, change.customerId);
    if (change.type === 'UpdateCustomer' && change.changes.taxRateIds) {
      const present = (await this.aggregates.load(customerDecider, id))?.taxRateIds ?? [];
      await this.taxRates.requireAssignable(
        context.workspaceId,
        change.changes.taxRateIds,
        'taxRateIds',
        present,
      );
    }
    return (await this.aggregates.execute(customerDecider, id, context, change)).state;
  }
}
