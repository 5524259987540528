import { Injectable } from '@nestjs/common';
import type { SandboxCatalog } from '#libs/contexts/go-live';
import type { ListPart } from '#libs/kernel/core';
import type { ListElement } from '#libs/kernel/projection';
import { CouponQueries } from '#projections/coupons';
import { CreditTypeQueries } from '#projections/credit-types';
import { MetricQueries } from '#projections/metrics';
import { PlanQueries } from '#projections/plans';
import { PriceQueries } from '#projections/prices';
import { TaxRateQueries } from '#projections/tax-rates';

const PAGE = 500;

/** Reads the catalogs of sandboxes. */
@Injectable()
export class SandboxCatalogReader {
  constructor(
    private readonly taxRates: TaxRateQueries,
    private readonly metrics: MetricQueries,
    private readonly prices: PriceQueries,
    private readonly plans: PlanQueries,
    private readonly coupons: CouponQueries,
    private readonly creditTypes: CreditTypeQueries,
  ) {}

  /** Returns the whole catalog of a workspace. Each list begins with the resource that was created first. */
  async catalogOf(workspaceId: string): Promise<SandboxCatalog> {
    return {
      taxRates: await all((part) => this.taxRates.list(workspaceId, part)),
      metrics: await all((part) => this.metrics.list(workspaceId, part)),
      prices: await all((part) => this.prices.list(workspaceId, part)),
      plans: await all((part) => this.plans.list(workspaceId, part)),
      coupons: await all((part) => this.coupons.list(workspaceId, part)),
      creditTypes: await this.creditTypes.allCreditTypes(workspaceId),
    };
  }
}

async function all<Shown>(read: (part: ListPart) => Promise<ListElement<Shown>[]>): Promise<Shown[]> {
  const found: ListElement<Shown>[] = [];
  for (;;) {
    const last = found.at(-1);
    const page = await read({ limit: PAGE, offset: 0, ...(last ? { after: [last.createdPosition] } : {}) });
    found.push(...page);
    if (page.length < PAGE) return found.map(({ shown }) => shown);
  }
}
