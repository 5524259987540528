import { Injectable } from '@nestjs/common';
import { StreamReader } from '#libs/kernel/event-store';
import type { Instant } from '#libs/kernel/core';
import { aggregateId, type Recorded } from '#libs/kernel/domain';
import {
  billOfEvent,
  eventsInEffectAt,
  subscriptionDecider,
  Subscriptions,
  type Bill,
  type SubscriptionEvent,
} from '#libs/contexts/subscriptions';

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
   * returns all bills of the subscription, or those in effect at the instant `asOf`.
   */
  async billsBefore(
    workspaceId: string,
    { subscriptionId, invoiceId }: Bill,
    asOf?: Instant,
  ): Promise<Bill[]> {
    const bills = await this.all(workspaceId, subscriptionId, asOf);
    const own = bills.findIndex((bill) => bill.invoiceId === invoiceId);
    return own < 0 ? bills : bills.slice(0, own);
  }

  private async all(workspaceId: string, subscriptionId: string, asOf?: Instant): Promise<Bill[]> {
    const stream = `${subscriptionDecider.category}-${aggregateId(workspaceId, subscriptionId)}`;
    const events = (await this.streams.read(stream)) as Recorded<SubscriptionEvent>[];
    const counted = asOf === undefined ? events : eventsInEffectAt(events, asOf);
    return counted.flatMap((event) => billOfEvent(event) ?? []);
  }
}
