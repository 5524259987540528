import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeCustomer, Customers, type CustomerEvent } from '#libs/contexts/customers';
import {
  ChangeSubscription,
  CreateSubscription,
  DeleteCustomer,
  subscriptionDecider,
} from '#libs/contexts/subscriptions';
import { CustomerCalendars, meteredSubscription, type CustomerCalendar } from '#libs/contexts/usage-limits';
import { eventTypesOf } from '#libs/kernel/domain';
import { CustomerQueries } from '#projections/customers';
import { SubscriptionQueries } from '#projections/subscriptions';
import { WorkspaceCaches, type WorkspaceCache } from './workspace-cache.js';

/** The largest number of customers of one workspace whose calendars are remembered. */
const MAX_CUSTOMERS = 10_000;

/**
 * The types of the customer events that change a remembered calendar. `CustomerCreated` is not in the list, because a new customer has no
 * remembered calendar.
 */
const CUSTOMER_CHANGES: CustomerEvent['type'][] = ['CustomerUpdated', 'CustomerDeleted'];

/** The calendars of a workspace's customers that were read since the last change of such a calendar. */
interface KnownCalendars {
  /**
   * The version of the gates' conditions (`GateConditions`) that was current when all these calendars were read. Undefined before a
   * calendar is read.
   */
  version: bigint | undefined;
  readonly calendars: LRUCache<string, CustomerCalendar>;
}

/** Provides the time zones and billing periods of customers, from memory. */
@Injectable()
export class RememberedCustomerCalendars extends CustomerCalendars {
  private readonly cache: WorkspaceCache<KnownCalendars>;

  constructor(
    private readonly customers: CustomerQueries,
    private readonly streams: Customers,
    private readonly subscriptions: SubscriptionQueries,
    caches: WorkspaceCaches,
  ) {
    super();
    this.cache = caches.create<KnownCalendars>({
      eventTypes: [...CUSTOMER_CHANGES, ...eventTypesOf(subscriptionDecider)],
      read: async () => ({ version: undefined, calendars: new LRUCache({ max: MAX_CUSTOMERS }) }),
      workspaceChangedBy: (command) =>
        command instanceof ChangeCustomer ||
        command instanceof CreateSubscription ||
        command instanceof ChangeSubscription ||
        command instanceof DeleteCustomer
          ? command.context.workspaceId
          : undefined,
    });
  }

  async calendarsOf(
    workspaceId: string,
    version: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, CustomerCalendar>> {
    const known = await this.since(workspaceId, BigInt(version));
    const found = new Map<string, CustomerCalendar>();
    const unknown: string[] = [];
    for (const customerId of customerIds) {
      const calendar = known.get(customerId);
      if (calendar) found.set(customerId, calendar);
      else unknown.push(customerId);
    }
    if (unknown.length === 0) return found;
    const [timezones, subscriptions] = await Promise.all([
      this.customers.timezonesById(workspaceId, unknown),
      this.subscriptions.liveSubscriptionsOfCustomers(workspaceId, unknown),
    ]);
    const byCustomer = Map.groupBy(subscriptions, ({ customerId }) => customerId);
    for (const customerId of unknown) {
      const timezone = timezones.get(customerId) ?? (await this.timezoneOfNew(workspaceId, customerId));
      if (timezone === undefined) continue;
      const live = byCustomer.get(customerId) ?? [];
      const calendar = { timezone, subscriptions: live.flatMap((one) => meteredSubscription(one) ?? []) };
      found.set(customerId, calendar);
      known.set(customerId, calendar);
    }
    return found;
  }

  /**
   * Returns the remembered calendars that were read at this version. If the remembered calendars have a later version, returns a new empty
   * cache, because this caller may read older data.
   */
  private async since(workspaceId: string, version: bigint): Promise<LRUCache<string, CustomerCalendar>> {
    let known = await this.cache.dataOf(workspaceId);
    if (known.version !== undefined && known.version < version) {
      this.cache.forget(workspaceId);
      known = await this.cache.dataOf(workspaceId);
    }
    known.version ??= version;
    return known.version === version ? known.calendars : new LRUCache({ max: MAX_CUSTOMERS });
  }

  /** Returns the time zone of a customer that may not be in the read model yet. Returns undefined if no customer ever had this id. */
  private async timezoneOfNew(workspaceId: string, customerId: string): Promise<string | undefined> {
    return (await this.streams.find(workspaceId, customerId))?.timezone;
  }
}
