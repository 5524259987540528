import { Injectable } from '@nestjs/common';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { customerCouponsDecider, initialState } from './customer-coupons.js';
import { presentRedemption } from './present.js';

/** All coupons that the customer has had. */
@Injectable()
class CouponsSource implements CustomerDataSource {
  constructor(private readonly aggregates: AggregateStore) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const id = aggregateId(workspaceId, customerId);
    const { redemptions } = (await this.aggregates.load(customerCouponsDecider, id)) ?? initialState;
    for (const redemption of redemptions)
      yield { ...presentRedemption(redemption), removedAt: redemption.removedAt };
  }
}

export const customerData: readonly CustomerDataPart[] = [{ name: 'coupons', source: CouponsSource }];
