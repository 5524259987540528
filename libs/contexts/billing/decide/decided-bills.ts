import { Injectable } from '@nestjs/common';
import { StreamReader } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { billOfEvent, subscriptionDecider, Subscriptions, type Bill } from '#libs/contexts/subscriptions';

/** Reads the bills that subscriptions decided. A bill is identified by the id of its invoice. */
@Injectable()
export class DecidedBills {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly streams: StreamReader,
  ) {}

  /** Returns the bill of a subscription on an invoice. Undefined if the subscription has no bill on this invoice. */
  async find(workspaceId: string, subscriptionId: string, invoiceId: string): Promise<Bill | undefined> {
    const { lastBill } = await this.subscriptions.require(workspaceId, subscriptionId);
    if (lastBill === null || lastBill.invoiceId === invoiceId) return lastBill ?? undefined;
    return (await this.all(workspaceId, subscriptionId)).find((bill) => bill.invoiceId === invoiceId);
  }

  /**
   * Returns the bills that the subscription of the given bill decided before it, oldest first. If the given bill is not decided yet,
   * returns all bills of the subscription.
   */
  async billsBefore(workspaceId: string, { subscriptionId, invoiceId }: Bill): Promise<Bill[]> {
    const bills = await this.all(workspaceId, subscriptionId);
    const own = bills.findIndex((bill) => bill.invoiceId === invoiceId);
    return own < 0 ? bills : bills.slice(0, own);
  }

  private async all(workspaceId: string, subscriptionId: string): Promise<Bill[]> {
    const stream = `${subscriptionDecider.category}-${aggregateId(workspaceId, subscriptionId)}`;
    return (await this.streams.read(stream)).flatMap((event) => billOfEvent(event) ?? []);
  }
}
