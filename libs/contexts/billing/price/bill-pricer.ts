import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { Catalog } from '#libs/contexts/catalog';
import { subscriptionPartOf, type Invoice } from '#libs/contexts/invoicing';
import { isAdditive, type InvoiceItem, type PriceSnapshot } from '#libs/rating';
import type { Bill, Subscription } from '#libs/contexts/subscriptions';
import { BillMeasurer, type RecordedMeasurements } from '../measure/bill-measurer.js';
import { BillingTermsFinder, type InvoicePricingTerms } from './billing-terms-finder.js';
import { LateUsageFinder } from '../earlier-invoices/late-usage-finder.js';
import { computePricedBills, pricesOfBills, type PricedBills } from './priced-bills.js';

/** Measures the usage of bills and computes their invoice lines. The code for previews and the code for invoices both use this class. */
@Injectable()
export class BillPricer {
  constructor(
    private readonly catalog: Catalog,
    private readonly terms: BillingTermsFinder,
    private readonly late: LateUsageFinder,
    private readonly measurer: BillMeasurer,
  ) {}

  /**
   * Computes the lines and the total of the invoice that these bills share. All usage that was acknowledged to its sender before the call
   * is included. The result includes late usage of earlier bills. `terms` are the billing terms to use; by default, they are the present
   * terms. `previous` has, for each bill, the invoice of the bill right before it, or null if there is none. Only a preview passes
   * `planned` and `billsBefore`. `planned` has the subscriptions by id as they will be after the bills, with the plan and the periods of
   * then. `billsBefore` are the planned bills before these bills. `items` are additional lines of the invoice, such as overage of prepaid
   * credits. `asOf` is for a measurement of the past: earlier bills, their invoices and the uses of coupons count as they were at this
   * instant.
   */
  async compute(
    workspaceId: string,
    bills: readonly Bill[],
    {
      terms,
      previous,
      planned,
      billsBefore = [],
      items = [],
      asOf,
    }: {
      terms?: InvoicePricingTerms;
      previous?: readonly (Invoice | null)[];
      planned?: ReadonlyMap<string, Subscription>;
      billsBefore?: readonly Bill[];
      items?: readonly InvoiceItem[];
      asOf?: Instant;
    } = {},
  ): Promise<PricedBills> {
    const agreed = terms ?? (await this.terms.currentTerms(workspaceId, bills, planned, asOf));
    const measured = await Promise.all(
      bills.map(async (bill, i) => {
        const given = previous?.[i];
        const last =
          given === undefined
            ? await this.late.previousInvoiceOf(workspaceId, bill)
            : ((given && subscriptionPartOf(given, bill.subscriptionId)) ?? null);
        const compute = (earlier: Bill) => this.compute(workspaceId, [earlier]);
        return this.measurer.measureNow(workspaceId, bill, {
          basis: agreed.prorationBases[i]!,
          last,
          compute,
          billsBefore,
          ...(asOf === undefined ? {} : { asOf }),
        });
      }),
    );
    const carried = measured.map((one) => one.carried ?? []);
    const discounted = await this.terms.addCarriedDiscounts(workspaceId, bills, agreed, carried, planned);
    return computePricedBills(
      bills,
      measured,
      await this.terms.addNamedTaxRates(workspaceId, discounted, pricesOfBills(measured)),
      items,
    );
  }

  /**
   * Repeats {@link compute} with the readings and terms that an invoice recorded. `taken` are the recorded readings of each bill. Prices
   * and metrics are read from the catalog, in the versions that the invoice recorded. `items` are the additional lines that the invoice
   * recorded. Usage is read from the usage log, up to the recorded watermark. Throws NotFound if the catalog does not have a recorded
   * version. Throws RangeError if a charge has no reading.
   */
  async recompute(
    workspaceId: string,
    bills: readonly Bill[],
    taken: readonly RecordedMeasurements[],
    terms: InvoicePricingTerms,
    items: readonly InvoiceItem[] = [],
  ): Promise<PricedBills> {
    const measured = await Promise.all(
      bills.map((bill, i) =>
        this.measurer.measureFromRecord(workspaceId, bill, {
          basis: terms.prorationBases[i]!,
          taken: taken[i]!,
        }),
      ),
    );
    return computePricedBills(
      bills,
      measured,
      await this.terms.addNamedTaxRates(workspaceId, terms, pricesOfBills(measured)),
      items,
    );
  }

  /**
   * Tells whether the usage of a period costs the same when it is billed in parts. The cost is the same for an additive price (a price per
   * unit) of a count or a sum. The cost can differ for a maximum or a number of different values. For example, the maximum of a period is
   * not the sum of the maximums of its parts.
   */
  async canBillInParts(workspaceId: string, { metricId, config }: PriceSnapshot): Promise<boolean> {
    if (metricId === null || !isAdditive(config)) return false;
    const { aggregation } = await this.catalog.metricDefinition(workspaceId, metricId);
    return aggregation.type === 'count' || aggregation.type === 'sum';
  }
}
