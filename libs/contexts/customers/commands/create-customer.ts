import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { TaxRates } from '#libs/contexts/taxes';
import { customerDecider, type Customer } from '../customer.js';
import type { CustomerDetails } from '../events.js';

/**
 * Creates a customer, with the id that the request gives or with a generated id. Throws Conflict (`customer_already_exists`) if the id is
 * taken, also by a deleted customer. Throws InvalidRequest for tax rates that {@link TaxRates.requireAssignable} refuses, and for a kind of
 * tax exemption other than `exempt` without a reason.
 */
export class CreateCustomer extends Command<Customer> {
  constructor(
    readonly context: CommandContext,
    readonly details: CustomerDetails,
    readonly customerId?: string,
  ) {
    super();
  }
}

@CommandHandler(CreateCustomer)
export class CreateCustomerHandler implements ICommandHandler<CreateCustomer> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly taxRates: TaxRates,
  ) {}

  async execute({
    context,
    details,
    customerId = idFor(context, 'cust'),
  }: CreateCustomer): Promise<Customer> {
    const id = aggregateId(context.workspaceId, customerId);
    const repeated = await this.aggregates.findRepeated(customerDecider, id, context);
    if (repeated) return repeated;
    await this.taxRates.requireAssignable(context.workspaceId, details.taxRateIds ?? [], 'taxRateIds');
    const command = { type: 'CreateCustomer', at: context.now, customerId, details } as const;
    return (await this.aggregates.execute(customerDecider, id, context, command)).state;
  }
}
