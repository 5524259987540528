import { Injectable } from '@nestjs/common';
import { CustomerQueries } from '#projections/customers';
import type { RevenueGroup } from '#projections/ledger';
import { PlanQueries } from '#projections/plans';
import { PriceQueries } from '#projections/prices';

/** Looks up the present names of customers, plans and prices for reports. */
@Injectable()
export class GroupNames {
  constructor(
    private readonly customers: CustomerQueries,
    private readonly plans: PlanQueries,
    private readonly prices: PriceQueries,
  ) {}

  /** Returns the names by id. Ids without a name are missing in the result. */
  async of(
    workspaceId: string,
    group: RevenueGroup,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    switch (group) {
      case 'customer':
        return this.customers.names(workspaceId, ids);
      case 'plan':
        return this.plans.names(workspaceId, ids);
      case 'price':
        return new Map(
          (await this.prices.withIds(workspaceId, ids)).map(({ priceId, versions }) => [
            priceId,
            versions.at(-1)!.name,
          ]),
        );
    }
  }
}
