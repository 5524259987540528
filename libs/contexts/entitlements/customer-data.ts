import { Injectable } from '@nestjs/common';
import { AggregateStateReader } from '#libs/kernel/projection';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { entitlementGrantDecider } from './entitlement-grant.js';
import { presentEntitlementGrant } from './present.js';

/** All grants of the customer, also those that were removed. */
@Injectable()
class EntitlementGrantsSource implements CustomerDataSource {
  constructor(private readonly states: AggregateStateReader) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    for await (const grant of this.states.statesWhere(
      entitlementGrantDecider,
      workspaceId,
      'customerId',
      customerId,
    ))
      yield { ...presentEntitlementGrant(grant), removed: grant.removed };
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'entitlementGrants', source: EntitlementGrantsSource, isAudited: true },
];
