import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { customerDecider, requireCustomer, type Customer } from './customer.js';

/** Customers as the other contexts' commands see them: read from their streams, never from a read model. */
@Injectable()
export class Customers {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The customer; NotFound if it is not in the workspace or is deleted. */
  async require(workspaceId: string, customerId: string): Promise<Customer> {
    return requireCustomer(customerId, await this.find(workspaceId, customerId));
  }

  /** The customer even if deleted, for what was agreed before; undefined if there never was one. */
  async find(workspaceId: string, customerId: string): Promise<Customer | undefined> {
    return this.aggregates.load(customerDecider, aggregateId(workspaceId, customerId));
  }
}
