import { Injectable } from '@nestjs/common';
import { Customers } from '#libs/contexts/customers';
import { mustCountLicenses, Subscriptions } from '#libs/contexts/subscriptions';

/**
 * Finds the subscriptions that charge for the licenses of a customer. The subscriptions are read from their streams and never from a read
 * model.
 */
@Injectable()
export class LicensedSubscriptionFinder {
  constructor(
    private readonly customers: Customers,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** Returns the ids of the customer's subscriptions that have not ended and charge for licenses, or will do so by a scheduled change. */
  async idsOf(workspaceId: string, customerId: string): Promise<string[]> {
    const ids = new Set(await this.customers.referencedSubscriptionIds(workspaceId, customerId));
    const licensed: string[] = [];
    for (const id of ids) {
      const subscription = await this.subscriptions.find(workspaceId, id);
      if (subscription?.customerId === customerId && mustCountLicenses(subscription)) licensed.push(id);
    }
    return licensed;
  }
}
