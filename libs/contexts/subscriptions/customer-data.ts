import { Injectable } from '@nestjs/common';
import { presentHistory } from '#libs/contexts/customers';
import { aggregateId } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import { AggregateStateReader } from '#libs/kernel/projection';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { subscriptionDecider } from './decider.js';
import { presentAmendment, presentSubscription } from './present.js';
import type { Subscription } from './subscription.js';

@Injectable()
class SubscriptionsSource implements CustomerDataSource {
  constructor(private readonly states: AggregateStateReader) {}

  async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for await (const subscription of this.subscriptions(customer)) yield presentSubscription(subscription);
  }

  protected subscriptions({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<Subscription> {
    return this.states.statesWhere(subscriptionDecider, workspaceId, 'customerId', customerId);
  }
}

@Injectable()
class AmendmentsSource extends SubscriptionsSource {
  override async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for await (const { subscriptionId, amendments } of this.subscriptions(customer))
      for (const amendment of amendments) yield { subscriptionId, ...presentAmendment(amendment) };
  }
}

/** The events of the customer's subscriptions: each change of terms, each bill and each change of state. */
@Injectable()
class SubscriptionHistorySource extends SubscriptionsSource {
  constructor(
    states: AggregateStateReader,
    private readonly streams: StreamReader,
  ) {
    super(states);
  }

  override async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for await (const { subscriptionId } of this.subscriptions(customer)) {
      const id = aggregateId(customer.workspaceId, subscriptionId);
      for await (const event of this.streams.pages(`${subscriptionDecider.category}-${id}`))
        yield { subscriptionId, ...presentHistory(event) };
    }
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'subscriptions', source: SubscriptionsSource, isAudited: true },
  { name: 'amendments', source: AmendmentsSource },
  { name: 'subscriptionHistory', source: SubscriptionHistorySource },
];
