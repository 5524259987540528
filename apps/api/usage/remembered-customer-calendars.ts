import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { LRUCache } from 'lru-cache';
import { ChangeCustomer, customerDecider, Customers } from '#libs/contexts/customers';
import {
  ChangeSubscription,
  CreateSubscription,
  DeleteCustomer,
  subscriptionDecider,
  type Subscription,
} from '#libs/contexts/subscriptions';
import {
  CustomerCalendars,
  type CustomerCalendar,
  type MeteredSubscription,
} from '#libs/contexts/usage-limits';
import { EventFeed } from '#libs/kernel/event-store';
import { ReadModels } from '#libs/kernel/projection';
import { CustomerQueries } from '#projections/customers';
import { SubscriptionQueries } from '#projections/subscriptions';
import { WorkspaceMemory } from './workspace-memory.js';

/** The largest number of customers of one workspace whose calendars are remembered. */
const MAX_CUSTOMERS = 10_000;

/** Tells the time zones and billing periods of customers. */
@Injectable()
export class RememberedCustomerCalendars
  extends CustomerCalendars
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  /** The calendars of a workspace that were read since its last change. */
  private readonly memory: WorkspaceMemory<LRUCache<string, CustomerCalendar>>;

  constructor(
    private readonly customers: CustomerQueries,
    private readonly streams: Customers,
    private readonly subscriptions: SubscriptionQueries,
    readModels: ReadModels,
    feed: EventFeed,
    commands: CommandBus,
    client: EventStoreDBClient,
  ) {
    super();
    this.memory = new WorkspaceMemory<LRUCache<string, CustomerCalendar>>(
      { readModels, feed, commands, client },
      {
        categories: [customerDecider.category, subscriptionDecider.category],
        read: async () => new LRUCache<string, CustomerCalendar>({ max: MAX_CUSTOMERS }),
        changedBy: (command) =>
          command instanceof ChangeCustomer ||
          command instanceof CreateSubscription ||
          command instanceof ChangeSubscription ||
          command instanceof DeleteCustomer
            ? command.context.workspaceId
            : undefined,
      },
    );
  }

  onApplicationBootstrap(): void {
    this.memory.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.memory.stop();
  }

  async of(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, CustomerCalendar>> {
    const known = await this.memory.dataOf(workspaceId);
    const found = new Map<string, CustomerCalendar>();
    const unknown: string[] = [];
    for (const customerId of customerIds) {
      const calendar = known.get(customerId);
      if (calendar) found.set(customerId, calendar);
      else unknown.push(customerId);
    }
    if (unknown.length === 0) return found;
    const [timezones, subscriptions] = await Promise.all([
      this.customers.timezones(workspaceId, unknown),
      this.subscriptions.liveOfCustomers(workspaceId, unknown),
    ]);
    const byCustomer = Map.groupBy(subscriptions, ({ customerId }) => customerId);
    for (const customerId of unknown) {
      const timezone = timezones.get(customerId) ?? (await this.timezoneOfNew(workspaceId, customerId));
      if (timezone === undefined) continue;
      const calendar = { timezone, subscriptions: (byCustomer.get(customerId) ?? []).map(metered) };
      found.set(customerId, calendar);
      known.set(customerId, calendar);
    }
    return found;
  }

  /** Returns the time zone of a customer that the read model may not have yet. Undefined if there never was a customer with this id. */
  private async timezoneOfNew(workspaceId: string, customerId: string): Promise<string | undefined> {
    return (await this.streams.find(workspaceId, customerId))?.timezone;
  }
}

function metered({ anchor, timezone, billingInterval, items }: Subscription): MeteredSubscription {
  const metricIds = items.flatMap(({ price }) => price.metricId ?? []);
  return { anchor, timezone, billingInterval, metricIds };
}
