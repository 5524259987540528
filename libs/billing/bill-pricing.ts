import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/catalog';
import {
  computeInvoice,
  type Charge,
  type ComputedInvoice,
  type MeasuredUsage,
  type PriceSnapshot,
} from '#libs/rating';
import type { Bill } from '#libs/subscriptions';
import { UsageMeters, type Measurement, type MetricDefinition } from '#libs/usage';

/** Measures what a bill charges for and computes its lines: the same for a preview and for the invoice. */
@Injectable()
export class BillPricing {
  constructor(
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
  ) {}

  /** The bill's lines and total, by the usage that has been acknowledged so far. */
  async compute(accountId: string, bill: Bill): Promise<ComputedInvoice> {
    const measured = new Map<string, Promise<MeasuredUsage>>();
    const usageOf = ({ price: { metricId }, service }: Charge): Promise<MeasuredUsage> | undefined => {
      if (metricId === null) return undefined;
      const key = [metricId, service.start, service.end].join(' ');
      const known = measured.get(key) ?? this.measure(accountId, bill.customerId, metricId, service);
      measured.set(key, known);
      return known;
    };
    const charges = await Promise.all(
      bill.charges.map(async (charge) => {
        const usage = await usageOf(charge);
        return usage === undefined ? charge : { ...charge, usage };
      }),
    );
    return computeInvoice({ invoiceId: bill.invoiceId, currency: bill.currency, charges });
  }

  /**
   * Whether a period's usage costs the same when it is billed in parts: for a price per unit of a count or a sum.
   * The greatest of two parts is not the sum of the greatest of each, nor is the number of different values.
   */
  async isDivisible(accountId: string, { metricId, config }: PriceSnapshot): Promise<boolean> {
    if (metricId === null || config.model !== 'unit') return false;
    const { aggregation } = await this.catalog.metricDefinition(accountId, metricId);
    return aggregation.type === 'count' || aggregation.type === 'sum';
  }

  private async measure(
    accountId: string,
    customerId: string,
    metricId: string,
    { start, end }: Charge['service'],
  ): Promise<MeasuredUsage> {
    const definition = await this.catalog.metricDefinition(accountId, metricId);
    const measurement = await this.meters.measure({ definition, customerId, start, end });
    return measuredUsage(definition, measurement);
  }
}

/** A measurement as an invoice prints it: a group is its values in the order of the metric's groupBy. */
function measuredUsage(
  { version, aggregation }: MetricDefinition,
  { groups, watermark }: Measurement,
): MeasuredUsage {
  const { groupBy = [] } = aggregation;
  return {
    metricVersion: version,
    groups: groups.map(({ key, quantity }) => ({
      key: groupBy.length === 0 ? null : groupBy.map((property) => key[property] ?? '').join('|'),
      quantity,
      watermark,
    })),
  };
}
