import { Injectable } from '@nestjs/common';
import { AggregateStore, followUpContext, StreamReader, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { customerDecider, requireCustomer, type Customer } from './customer.js';
import type { CustomerEvent, PaymentMethod, PaymentMethodPurpose } from './events.js';

const REFERENCE: CustomerEvent['type'] = 'CustomerReferenced';
const ATTACHED: CustomerEvent['type'] = 'PaymentMethodAttached';

/** Reads and changes customers for the commands of other contexts. Reads the streams of customers, never a read model. */
@Injectable()
export class Customers {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly streams: StreamReader,
  ) {}

  /** Returns the customer. Throws NotFound if the customer is not in the workspace or is deleted. */
  async require(workspaceId: string, customerId: string): Promise<Customer> {
    return requireCustomer(customerId, await this.find(workspaceId, customerId));
  }

  /**
   * Returns the customer even if it is deleted, because earlier invoices still refer to it. Returns undefined if the customer never
   * existed.
   */
  async find(workspaceId: string, customerId: string): Promise<Customer | undefined> {
    return this.aggregates.load(customerDecider, aggregateId(workspaceId, customerId));
  }

  /** Attaches a payment method, and returns the customer. Throws NotFound if the customer does not exist or is deleted. */
  async attachPaymentMethod(
    context: CommandContext,
    customerId: string,
    method: PaymentMethod,
    purpose: PaymentMethodPurpose = {},
  ): Promise<Customer> {
    const id = aggregateId(context.workspaceId, customerId);
    const command = { type: 'AttachPaymentMethod', customerId, method, purpose } as const;
    return (await this.aggregates.execute(customerDecider, id, context, command)).state;
  }

  /**
   * Returns a payment method as it was attached, even if the customer has removed it since. Returns undefined if the payment method was
   * never attached. After an erasure of the customer's data, the label of the payment method is unreadable.
   */
  async findEverAttachedPaymentMethod(
    workspaceId: string,
    customerId: string,
    paymentMethodId: string,
  ): Promise<PaymentMethod | undefined> {
    const id = aggregateId(workspaceId, customerId);
    const events = await this.streams.read(`${customerDecider.category}-${id}`);
    return events
      .filter(({ type }) => type === ATTACHED)
      .map(({ data }) => data as unknown as PaymentMethod)
      .find((method) => method.paymentMethodId === paymentMethodId);
  }

  /** Records that a subscription is about to be created for the customer. Throws NotFound if the customer has been deleted. */
  async recordReference(context: CommandContext, customerId: string, subscriptionId: string): Promise<void> {
    const id = aggregateId(context.workspaceId, customerId);
    const following = followUpContext(context, `reference ${customerId} ${subscriptionId}`);
    const command = { type: 'ReferenceCustomer', customerId, subscriptionId } as const;
    await this.aggregates.execute(customerDecider, id, following, command);
  }

  /**
   * Returns the ids of the subscriptions that were created for the customer, or were about to be created. The id of a subscription can be
   * listed twice.
   */
  async referencedSubscriptionIds(workspaceId: string, customerId: string): Promise<string[]> {
    const id = aggregateId(workspaceId, customerId);
    const events = await this.streams.read(`${customerDecider.category}-${id}`);
    return events.flatMap(({ type, data }) =>
      type === REFERENCE ? [(data as { subscriptionId: string }).subscriptionId] : [],
    );
  }

  /**
   * Deletes the customer. `endedReferenceCount` is the number of references to subscriptions that have ended or will never exist. Throws
   * Conflict if the customer has more references than `endedReferenceCount` by now.
   */
  async delete(context: CommandContext, customerId: string, endedReferenceCount: number): Promise<void> {
    const id = aggregateId(context.workspaceId, customerId);
    const command = { type: 'DeleteCustomer', customerId, endedReferenceCount } as const;
    await this.aggregates.execute(customerDecider, id, context, command);
  }
}
