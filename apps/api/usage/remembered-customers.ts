import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import type { Settings } from '#libs/kernel/system';
import { Customers, type CustomerEvent } from '#libs/contexts/customers';
import { aggregateId } from '#libs/kernel/domain';
import { DeleteCustomer } from '#libs/contexts/subscriptions';
import { CustomerDirectory } from '#libs/usage';
import { SETTINGS } from '#libs/kernel/app';
import { EventTypeSubscription } from './event-type-subscription.js';

/** The largest number of customers that this process remembers as being deleted by one of its commands. */
const MAX_DOUBTED = 100_000;
/**
 * For this time after a command starts to delete a customer, each usage event reads the customer again. The time is longer than any command
 * takes.
 */
const DOUBTED_MILLIS = 60_000;
const READS_AT_ONCE = 32;
const DELETED: CustomerEvent['type'] = 'CustomerDeleted';

/**
 * Checks which customers exist, from their event streams. A customer that was found is remembered, so that later usage events of the
 * customer need no further read. A deleted customer is forgotten: at once if this process deletes the customer, and within moments if
 * another process does. If this process may have missed deletions, it forgets all customers. Remembered customers therefore need no time
 * limit.
 */
@Injectable()
export class RememberedCustomers
  extends CustomerDirectory
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  private readonly known: LRUCache<string, true>;
  private readonly doubted = new LRUCache<string, true>({ max: MAX_DOUBTED, ttl: DOUBTED_MILLIS });
  private readonly deletions: EventTypeSubscription;
  /** The number of times that a customer was forgotten. If the number changes while a customer is read, the customer is not remembered. */
  private forgettings = 0;

  constructor(
    private readonly customers: Customers,
    private readonly commands: CommandBus,
    client: EventStoreDBClient,
    @Inject(SETTINGS) { customerCacheSize }: Settings,
  ) {
    super();
    this.known = new LRUCache({ max: customerCacheSize });
    this.deletions = new EventTypeSubscription(client, [DELETED]);
  }

  onApplicationBootstrap(): void {
    // The bus announces a command before the command runs. So the customer is forgotten before it is deleted.
    this.commands.subscribe((command) => {
      if (command instanceof DeleteCustomer)
        this.doubt(aggregateId(command.context.workspaceId, command.customerId));
    });
    this.deletions.start({
      onEvent: ({ aggregateId: id }) => this.forget(id),
      onGap: () => {
        this.forgettings++;
        this.known.clear();
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deletions.stop();
  }

  async findMissingIds(workspaceId: string, customerIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const unknown: string[] = [];
    for (const customerId of customerIds)
      if (!this.known.has(aggregateId(workspaceId, customerId))) unknown.push(customerId);
    if (unknown.length === 0) return NONE;
    const missing = new Set<string>();
    const read = async (customerId: string): Promise<void> => {
      if (!(await this.exists(workspaceId, customerId))) missing.add(customerId);
    };
    await pMap(unknown, read, { concurrency: READS_AT_ONCE });
    return missing;
  }

  private async exists(workspaceId: string, customerId: string): Promise<boolean> {
    const { forgettings } = this;
    const customer = await this.customers.find(workspaceId, customerId);
    if (!customer || customer.deleted) return false;
    const id = aggregateId(workspaceId, customerId);
    if (forgettings === this.forgettings && this.deletions.isLive && !this.doubted.has(id))
      this.known.set(id, true);
    return true;
  }

  private doubt(id: string): void {
    this.doubted.set(id, true);
    this.forget(id);
  }

  private forget(id: string): void {
    this.forgettings++;
    this.known.delete(id);
  }
}

const NONE: ReadonlySet<string> = new Set();
