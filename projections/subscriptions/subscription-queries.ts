import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, JsonContains, LessThanOrEqual, MoreThan, Not, Repository } from 'typeorm';
import type { Instant, ListOrder, ListPart } from '#libs/kernel/core';
import { SnapshotQueries } from '#libs/kernel/projection';
import type { Subscription, SubscriptionStatus } from '#libs/contexts/subscriptions';
import { SubscriptionRow } from './subscription-row.js';

/** The number of subscriptions that one query fetches for billing. */
const PAGE = 500;

/** The subscriptions to list. If a field is absent, subscriptions are not filtered by it. */
export interface SubscriptionFilter {
  readonly status?: SubscriptionStatus;
  readonly customerId?: string;
  readonly externalId?: string;
}

@Injectable()
export class SubscriptionQueries extends SnapshotQueries<SubscriptionRow, Subscription, SubscriptionFilter> {
  readonly dueTimeOrder: ListOrder<SubscriptionRow> = {
    list: 'schedule',
    keyParts: ['instant', 'text'],
    keyOf: ({ nextBillingAt, id }) => [nextBillingAt!, id],
  };

  constructor(@InjectRepository(SubscriptionRow) rows: Repository<SubscriptionRow>) {
    super(rows, {
      resource: 'subscription',
      conditions: (filter) => ({ ...filter }),
      shownOf: ({ state }) => state,
    });
  }

  /** Returns the ids of the `limit` oldest subscriptions that have not ended, for a customer, a plan or a price. */
  async oldestLiveIdsOf(
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

  /** Returns all subscriptions of the given customers that have not ended, oldest first. */
  async liveSubscriptionsOfCustomers(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<Subscription[]> {
    const rows = await this.rows.find({
      where: { workspaceId, customerId: Any([...customerIds]), live: true },
      order: { createdPosition: 'ASC' },
    });
    return rows.map(({ state }) => state);
  }

  /**
   * Returns the metrics that the prices of the given customers' subscriptions charge, for the subscriptions that have not ended. A customer
   * without such prices is not in the result.
   */
  async chargedMetricIds(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<Map<string, Set<string>>> {
    const rows = await this.rows
      .createQueryBuilder('one')
      .select('one.customerId', 'customerId')
      .addSelect(`jsonb_path_query(one.state, '$.items[*].price.metricId') #>> '{}'`, 'metricId')
      .where('one.workspaceId = :workspaceId AND one.customerId = ANY(:customerIds) AND one.live', {
        workspaceId,
        customerIds: [...customerIds],
      })
      .getRawMany<{ customerId: string; metricId: string | null }>();
    const charged = new Map<string, Set<string>>();
    for (const { customerId, metricId } of rows) {
      if (metricId === null) continue;
      const known = charged.get(customerId) ?? new Set<string>();
      charged.set(customerId, known.add(metricId));
    }
    return charged;
  }

  /** Returns the ids of the customer's `limit` oldest subscriptions that have not ended and are not in this currency. */
  async liveIdsInOtherCurrency(
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

  /** Returns the number of subscriptions that {@link pagesOfLiveOnPlan} yields. */
  async countLiveOnPlan(
    workspaceId: string,
    { planId, customerIds }: { planId: string; customerIds: readonly string[] | null },
  ): Promise<number> {
    const ofCustomers = customerIds === null ? {} : { customerId: Any([...customerIds]) };
    return this.rows.countBy({ workspaceId, planId, live: true, ...ofCustomers });
  }

  /**
   * Yields the subscriptions of a plan that have not ended, in order of id. If customers are given, yields only the subscriptions of these
   * customers. Each page of subscriptions is fetched when the caller asks for it.
   */
  async *pagesOfLiveOnPlan(
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

  /**
   * Yields all subscriptions of the workspace, including ended ones, in order of id. Each page of subscriptions is fetched when the caller
   * asks for it.
   */
  async *allPages(workspaceId: string): AsyncGenerator<Subscription[]> {
    for (let after = ''; ;) {
      const page = await this.rows.find({
        where: { workspaceId, id: MoreThan(after) },
        order: { id: 'ASC' },
        take: PAGE,
      });
      yield page.map(({ state }) => state);
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }

  /**
   * Returns a page of subscriptions, ordered by the time at which their next change is due, earliest first. Subscriptions for which no
   * change is planned are omitted.
   */
  async pageByDueTime(workspaceId: string, { limit, offset, after }: ListPart): Promise<SubscriptionRow[]> {
    const query = this.rows
      .createQueryBuilder('one')
      .where('one.workspaceId = :workspaceId AND one.nextBillingAt IS NOT NULL', { workspaceId });
    if (after) query.andWhere('(one.nextBillingAt, one.id) > (:at, :id)', { at: after[0], id: after[1] });
    return query.orderBy('one.nextBillingAt').addOrderBy('one.id').limit(limit).offset(offset).getMany();
  }

  /**
   * Yields the ids of subscriptions with a change that has become due by `now`. If a customer is given, yields only the ids of that
   * customer's subscriptions. Each page is fetched when the caller asks for it, and starts after the last id of the previous page.
   * Subscriptions that are billed in the meantime therefore do not cause repeated or skipped ids.
   */
  async *allDueIds(workspaceId: string, now: Instant, customerId?: string): AsyncGenerator<string> {
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
