import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, JsonContains, LessThanOrEqual, MoreThan, Not, Repository } from 'typeorm';
import { NotFound, type Instant, type ListOrder, type ListPart } from '#libs/kernel/core';
import { byPosition } from '#libs/kernel/projection';
import type { Subscription, SubscriptionStatus } from '#libs/contexts/subscriptions';
import { SubscriptionRow } from './subscription-row.js';

/** Subscriptions that are fetched at a time for billing. */
const PAGE = 500;

@Injectable()
export class SubscriptionQueries {
  readonly order = byPosition('subscriptions');
  readonly scheduleOrder: ListOrder<SubscriptionRow> = {
    list: 'schedule',
    parts: ['instant', 'text'],
    keyOf: ({ nextBillingAt, id }) => [nextBillingAt!, id],
  };

  constructor(@InjectRepository(SubscriptionRow) private readonly rows: Repository<SubscriptionRow>) {}

  /** A page of the workspace's subscriptions, oldest first; of one status, customer or external id if given. */
  async list(
    workspaceId: string,
    filter: { status?: SubscriptionStatus; customerId?: string; externalId?: string },
    { limit, offset, after }: ListPart,
  ): Promise<SubscriptionRow[]> {
    return this.rows.find({
      where: { workspaceId, ...filter, ...(after ? { createdPosition: MoreThan(after[0]) } : {}) },
      order: { createdPosition: 'ASC' },
      take: limit,
      skip: offset,
    });
  }

  /** One subscription; NotFound if it is not in the workspace. */
  async get(workspaceId: string, subscriptionId: string): Promise<SubscriptionRow> {
    const row = await this.rows.findOneBy({ workspaceId, id: subscriptionId });
    if (!row) throw NotFound.of('subscription', subscriptionId);
    return row;
  }

  /** Ids of the subscriptions that have not ended, of a customer, to a plan or with a price; the `limit` oldest. */
  async liveOf(
    workspaceId: string,
    of: { customerId: string } | { planId: string } | { priceId: string },
    limit: number,
  ): Promise<string[]> {
    const rows = await this.rows.find({
      select: { stream: true, id: true },
      where: {
        workspaceId,
        ...('priceId' in of ? { priceIds: JsonContains([of.priceId]) } : of),
        live: true,
      },
      order: { createdPosition: 'ASC' },
      take: limit,
    });
    return rows.map(({ id }) => id);
  }

  /** Ids of a customer's subscriptions that have not ended and are in another currency than this; the `limit` oldest. */
  async liveInOther(
    workspaceId: string,
    { customerId, currency }: { customerId: string; currency: string },
    limit: number,
  ): Promise<string[]> {
    const rows = await this.rows.find({
      select: { stream: true, id: true },
      where: { workspaceId, customerId, live: true, state: Not(JsonContains({ currency })) },
      order: { createdPosition: 'ASC' },
      take: limit,
    });
    return rows.map(({ id }) => id);
  }

  /** How many {@link pagesOnPlan} gives in all. */
  async countOnPlan(
    workspaceId: string,
    { planId, customerIds }: { planId: string; customerIds: readonly string[] | null },
  ): Promise<number> {
    const ofCustomers = customerIds === null ? {} : { customerId: Any([...customerIds]) };
    return this.rows.countBy({ workspaceId, planId, live: true, ...ofCustomers });
  }

  /** The subscriptions to a plan that have not ended, by id, of some customers if given; in pages that are fetched as they are taken. */
  async *pagesOnPlan(
    workspaceId: string,
    { planId, customerIds }: { planId: string; customerIds: readonly string[] | null },
  ): AsyncGenerator<Subscription[]> {
    const ofCustomers = customerIds === null ? {} : { customerId: Any([...customerIds]) };
    for (let after = ''; ;) {
      const page = await this.rows.find({
        where: { workspaceId, planId, live: true, id: MoreThan(after), ...ofCustomers },
        order: { id: 'ASC' },
        take: PAGE,
      });
      yield page.map(({ state }) => state);
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }

  /** A page of the subscriptions for which something becomes due by itself, soonest first. */
  async schedule(workspaceId: string, { limit, offset, after }: ListPart): Promise<SubscriptionRow[]> {
    const query = this.rows
      .createQueryBuilder('one')
      .where('one.workspaceId = :workspaceId AND one.nextBillingAt IS NOT NULL', { workspaceId });
    if (after) query.andWhere('(one.nextBillingAt, one.id) > (:at, :id)', { at: after[0], id: after[1] });
    return query.orderBy('one.nextBillingAt').addOrderBy('one.id').limit(limit).offset(offset).getMany();
  }

  /**
   * Ids of the subscriptions for which something has become due by `now`, of one customer if given; fetched in pages as they are
   * taken, so that those which are billed meanwhile neither repeat nor hide others.
   */
  async *allDue(workspaceId: string, now: Instant, customerId?: string): AsyncGenerator<string> {
    for (let after = ''; ;) {
      const page = await this.rows.find({
        select: { stream: true, id: true },
        where: {
          workspaceId,
          nextBillingAt: LessThanOrEqual(now),
          id: MoreThan(after),
          ...(customerId === undefined ? {} : { customerId }),
        },
        order: { id: 'ASC' },
        take: PAGE,
      });
      for (const { id } of page) yield id;
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }
}
