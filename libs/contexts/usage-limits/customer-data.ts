import { Injectable } from '@nestjs/common';
import { AggregateStateReader } from '#libs/kernel/projection';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { presentUsageLimit } from './limits/present.js';
import { usageLimitDecider } from './limits/usage-limit.js';

/** The limits for this customer, including deleted ones. */
@Injectable()
class UsageLimitsSource implements CustomerDataSource {
  constructor(private readonly states: AggregateStateReader) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    for await (const limit of this.states.statesWhere(
      usageLimitDecider,
      workspaceId,
      'customerId',
      customerId,
    ))
      yield { ...presentUsageLimit(limit), deleted: limit.deleted };
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'usageLimits', source: UsageLimitsSource, isAudited: true },
];
