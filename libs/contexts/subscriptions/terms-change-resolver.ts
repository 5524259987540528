import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import { CreditTypeReferences } from '#libs/contexts/credits';
import { InvalidRequest } from '#libs/kernel/core';
import type { TermsChange } from './events.js';
import { readPriceMap } from './price-map.js';
import { readQuantities } from './quantities.js';

/** A requested change of a subscription's terms, with the ids of the plan and prices. Omitted fields change nothing. */
export interface RequestedTermsChange {
  /** The new plan, in its published version. */
  planId?: string | undefined;
  /** Prices to add, or to update to their newest version. */
  addPrices?: readonly string[] | undefined;
  /** The ids of the prices to remove. */
  removePrices?: readonly string[] | undefined;
  /** Units of fees, as {@link readQuantities} accepts them. */
  quantities?: unknown;
  /** The prices that take the place of prices that end, as {@link readPriceMap} accepts them. */
  priceMap?: unknown;
}

/** Looks up the plan and the prices of a requested change in the catalog. */
@Injectable()
export class TermsChangeResolver {
  constructor(
    private readonly catalog: Catalog,
    private readonly references: CreditTypeReferences,
  ) {}

  /**
   * Returns the change with the current versions of the plan and the prices. Throws InvalidRequest if the request contains no change
   * (`nothing_to_amend`), or adds and removes the same price. Throws StateConflict (`metric_costs_credits`) if the new plan or an added
   * price charges for a metric whose units cost credits. Throws NotFound if the new plan or a price to add is not in the workspace, or is
   * deleted. The other prices are not looked up.
   */
  async resolve(workspaceId: string, requested: RequestedTermsChange): Promise<TermsChange> {
    const { planId, addPrices = [], removePrices = [] } = requested;
    const quantities = readQuantities(requested.quantities ?? []);
    const priceMap = requested.priceMap === undefined ? undefined : readPriceMap(requested.priceMap);
    const names = [...addPrices, ...removePrices, ...Object.keys(quantities)];
    if (planId === undefined && names.length === 0)
      throw new InvalidRequest(
        'nothing_to_amend',
        'Name what is to change: planId, addPrices, removePrices or quantities',
      );
    const both = addPrices.find((priceId) => removePrices.includes(priceId));
    if (both !== undefined)
      throw InvalidRequest.field('removePrices', `must not name "${both}", which is to be added`);
    const [plan, prices] = await Promise.all([
      planId === undefined ? null : this.plan(workspaceId, planId),
      Promise.all([...new Set(addPrices)].map((priceId) => this.catalog.resolvePrice(workspaceId, priceId))),
    ]);
    if (plan) await this.references.requireMetricsWithoutRates(workspaceId, plan.prices, 'planId');
    await this.references.requireMetricsWithoutRates(workspaceId, prices, 'addPrices');
    const change = { plan, addPrices: prices, removePrices: [...new Set(removePrices)], quantities };
    return priceMap === undefined ? change : { ...change, priceMap };
  }

  private async plan(workspaceId: string, planId: string): Promise<TermsChange['plan']> {
    const { name: planName, trialDays: _, ...plan } = await this.catalog.resolvePlan(workspaceId, planId);
    return { ...plan, planName };
  }
}
