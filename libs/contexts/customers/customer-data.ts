import { Injectable } from '@nestjs/common';
import { aggregateId, type RecordedEvent } from '#libs/kernel/domain';
import { AggregateStore, StreamReader } from '#libs/kernel/event-store';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { customerDecider, type Customer } from './customer.js';
import { presentCustomer, presentPaymentMethods } from './present.js';

@Injectable()
class CustomerSource implements CustomerDataSource {
  constructor(protected readonly aggregates: AggregateStore) {}

  async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    yield presentCustomer((await this.customer(customer))!);
  }

  protected async customer({ workspaceId, customerId }: ExportedCustomer): Promise<Customer | undefined> {
    return this.aggregates.load(customerDecider, aggregateId(workspaceId, customerId));
  }
}

@Injectable()
class PaymentMethodsSource extends CustomerSource {
  override async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    yield* presentPaymentMethods((await this.customer(customer))!);
  }
}

/** The events of the customer, which also contain earlier names, addresses and payment methods. */
@Injectable()
class CustomerHistorySource implements CustomerDataSource {
  constructor(private readonly streams: StreamReader) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const stream = `${customerDecider.category}-${aggregateId(workspaceId, customerId)}`;
    for await (const event of this.streams.pages(stream)) yield presentHistory(event);
  }
}

/** Converts an event to a history entry in the export of a customer's data. */
export function presentHistory({ id, type, metadata, data }: RecordedEvent) {
  return { id, event: type, at: metadata.occurredAt, data };
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'customer', source: CustomerSource, single: true, isAudited: true },
  { name: 'customerHistory', source: CustomerHistorySource },
  { name: 'paymentMethods', source: PaymentMethodsSource },
];
