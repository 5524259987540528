import { Injectable } from '@nestjs/common';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { erasureDecider, presentErasure } from './erasure.js';

/** The erasure of the customer, if it was requested. */
@Injectable()
class ErasuresSource implements CustomerDataSource {
  constructor(private readonly aggregates: AggregateStore) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const erasure = await this.aggregates.load(erasureDecider, aggregateId(workspaceId, customerId));
    if (erasure) yield presentErasure(erasure);
  }
}

export const customerData: readonly CustomerDataPart[] = [{ name: 'erasures', source: ErasuresSource }];
