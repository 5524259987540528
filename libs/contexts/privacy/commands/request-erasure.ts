import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { additionalEmailsOrNone, Customers, type Customer } from '#libs/contexts/customers';
import { ClosedPortals } from '#libs/contexts/identity';
import { InvalidRequest, NotFound } from '#libs/kernel/core';
import { aggregateId, ERASED } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { erasureDecider, type Erasure } from '../erasure.js';

/**
 * Requests the erasure of a customer's personal data, and returns its progress. If the erasure was already requested, the command only
 * returns its progress. After the request, the customer's portal tokens are refused. A deleted customer can be erased too. The command does
 * not check whether the customer is settled: the API checks this before a request without `force`.
 */
export class RequestErasure extends Command<Erasure> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    readonly reason: string,
    readonly force: boolean,
  ) {
    super();
  }
}

@CommandHandler(RequestErasure)
export class RequestErasureHandler implements ICommandHandler<RequestErasure> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
    private readonly portals: ClosedPortals,
  ) {}

  /**
   * Throws NotFound for a customer that was never in the workspace. Throws InvalidRequest if the reason names the person in one of the
   * ways that {@link requireImpersonal} knows.
   */
  async execute({ context, customerId, reason, force }: RequestErasure): Promise<Erasure> {
    const { workspaceId, now: at } = context;
    const customer = await this.customers.find(workspaceId, customerId);
    if (!customer) throw NotFound.of('customer', customerId);
    requireImpersonal(reason, customer);
    const command = { type: 'RequestErasure', customerId, reason, force, at } as const;
    const id = aggregateId(workspaceId, customerId);
    const { state } = await this.aggregates.execute(erasureDecider, id, context, command);
    await this.portals.close(workspaceId, customerId);
    return state;
  }
}

/**
 * Refuses a reason that contains the name, an e-mail address, the address for e-invoices or the external id of the person, because the
 * reason is not erased.
 */
function requireImpersonal(reason: string, customer: Customer): void {
  const { name, email, billingEmail, additionalEmails, electronicAddress, externalId } = customer;
  const words = reason.toLowerCase();
  const emails = [email, billingEmail, ...additionalEmailsOrNone(additionalEmails)];
  for (const personal of [name, ...emails, electronicAddress?.id ?? null, externalId])
    if (personal !== null && personal !== ERASED && words.includes(personal.toLowerCase()))
      throw InvalidRequest.field('reason', 'must not name the person, because the reason stays on record');
}
