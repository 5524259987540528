import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { customerDecider, requireCustomer, type Customer } from './customer.js';

/** Customers, for the commands of other contexts. They are read from their streams, never from a read model. */
@Injectable()
export class Customers {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the customer. Throws NotFound if it is not in the workspace or is deleted. */
  async require(workspaceId: string, customerId: string): Promise<Customer> {
    return requireCustomer(customerId, await this.find(workspaceId, customerId));
  }

  /** Returns the customer even if it is deleted, for earlier agreements. Undefined if it never existed. */
  async find(workspaceId: string, customerId: string): Promise<Customer | undefined> {
    return this.aggregates.load(customerDecider, aggregateId(workspaceId, customerId));
  }
}
