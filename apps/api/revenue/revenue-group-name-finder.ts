import { Injectable } from '@nestjs/common';
import { CustomerQueries } from '#projections/customers';
import type { RevenueGrouping } from '#projections/ledger';
import { PlanQueries } from '#projections/plans';
import { PriceQueries } from '#projections/prices';

/** Looks up the present names of customers, plans and prices for reports. */
@Injectable()
export class RevenueGroupNameFinder {
  constructor(
    private readonly customers: CustomerQueries,
    private readonly plans: PlanQueries,
    private readonly prices: PriceQueries,
  ) {}

  /** Returns the names by id. Ids without a name are missing in the result. */
  async namesOf(
    workspaceId: string,
    group: RevenueGrouping,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    switch (group) {
      case 'customer':
        return this.customers.namesById(workspaceId, ids);
      case 'plan':
        return this.plans.namesById(workspaceId, ids);
      case 'price':
        return new Map(
          (await this.prices.findByIds(workspaceId, ids)).map(({ priceId, versions }) => [
            priceId,
            versions.at(-1)!.name,
          ]),
        );
    }
  }
}
