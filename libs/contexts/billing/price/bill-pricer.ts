import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import { partOf, type Invoice } from '#libs/contexts/invoicing';
import { isAdditive, type PriceSnapshot } from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { BillMeasurer, type TakenReadings } from '../measure/bill-measurer.js';
import { BillingTerms, type Terms } from './billing-terms.js';
import { LateUsages } from '../earlier-invoices/late-usage.js';
import { priced, pricesOf, type PricedBills } from './priced-bills.js';

/** Measures what a bill charges for and computes its lines: the same for a preview and for the invoice. */
@Injectable()
export class BillPricer {
  constructor(
    private readonly catalog: Catalog,
    private readonly terms: BillingTerms,
    private readonly late: LateUsages,
    private readonly measurer: BillMeasurer,
  ) {}

  /**
   * The lines and the total of the invoice of these bills. Usage counts as far as it has been acknowledged. `terms` are those that hold now
   * unless given. Late usage of earlier bills of the subscriptions is added. `previous`: of each bill the invoice of the one right before
   * it, null for none. `planIds`: the plans that subscriptions would be on by then, where they are on others now; `billsBefore`: what they
   * would be billed until then.
   */
  async compute(
    workspaceId: string,
    bills: readonly Bill[],
    {
      terms,
      previous,
      planIds,
      billsBefore = [],
    }: {
      terms?: Terms;
      previous?: readonly (Invoice | null)[];
      planIds?: ReadonlyMap<string, string>;
      billsBefore?: readonly Bill[];
    } = {},
  ): Promise<PricedBills> {
    const agreed = terms ?? (await this.terms.of(workspaceId, bills, planIds));
    const measured = await Promise.all(
      bills.map(async (bill, i) => {
        const given = previous?.[i];
        const last =
          given === undefined
            ? await this.late.previousOf(workspaceId, bill)
            : ((given && partOf(given, bill.subscriptionId)) ?? null);
        const compute = (earlier: Bill) => this.compute(workspaceId, [earlier]);
        return this.measurer.now(workspaceId, bill, { basis: agreed.bases[i]!, last, compute, billsBefore });
      }),
    );
    const carried = measured.flatMap((one) => one.carried ?? []);
    const discounted = await this.terms.withCarried(workspaceId, bills, agreed, carried, planIds);
    return priced(bills, measured, await this.terms.withNamed(workspaceId, discounted, pricesOf(measured)));
  }

  /**
   * What {@link compute} came to with these readings and terms, less what the lines say was invoiced before. Prices and metrics are taken
   * from the catalog in the versions that are named, and usage from the log up to where it was read. `taken`: of each bill. NotFound if the
   * catalog has no such version, RangeError if there is no reading of something that is charged for.
   */
  async recompute(
    workspaceId: string,
    bills: readonly Bill[],
    taken: readonly TakenReadings[],
    terms: Terms,
  ): Promise<PricedBills> {
    const measured = await Promise.all(
      bills.map((bill, i) =>
        this.measurer.again(workspaceId, bill, { basis: terms.bases[i]!, taken: taken[i]! }),
      ),
    );
    return priced(bills, measured, await this.terms.withNamed(workspaceId, terms, pricesOf(measured)));
  }

  /**
   * Whether a period's usage costs the same when it is billed in parts: for a price that adds up, of a count or a sum. The
   * greatest of two parts is not the sum of the greatest of each, nor is the number of different values.
   */
  async isDivisible(workspaceId: string, { metricId, config }: PriceSnapshot): Promise<boolean> {
    if (metricId === null || !isAdditive(config)) return false;
    const { aggregation } = await this.catalog.metricDefinition(workspaceId, metricId);
    return aggregation.type === 'count' || aggregation.type === 'sum';
  }
}
