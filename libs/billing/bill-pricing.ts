import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/catalog';
import type { UsageReading } from '#libs/invoicing';
import {
  computeInvoice,
  type ComputedInvoice,
  type MeasuredUsage,
  type Period,
  type PriceSnapshot,
} from '#libs/rating';
import type { Bill } from '#libs/subscriptions';
import { UsageMeters, type Measurement, type MetricDefinition } from '#libs/usage';

/** A bill with its lines, and how the usage on them was measured. */
export interface PricedBill extends ComputedInvoice {
  readonly readings: UsageReading[];
}

/** What was measured, and by which version of the metric. */
interface Measured {
  readonly definition: MetricDefinition;
  readonly measurement: Measurement;
}

type Measure = (metricId: string, service: Period) => Promise<Measured>;

/** Measures what a bill charges for and computes its lines: the same for a preview and for the invoice. */
@Injectable()
export class BillPricing {
  constructor(
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
  ) {}

  /** The bill's lines and total, by the usage that has been acknowledged so far. */
  compute(accountId: string, bill: Bill): Promise<PricedBill> {
    const { customerId } = bill;
    return this.price(bill, async (metricId, { start, end }) => {
      const definition = await this.catalog.metricDefinition(accountId, metricId);
      const measurement = await this.meters.measure({ definition, customerId, start, end });
      return { definition, measurement };
    });
  }

  /**
   * What {@link compute} came to when it took these readings: by the prices and metrics as the catalog has them in the
   * versions that are named, and by the usage log up to where it was read. NotFound if the catalog has no such version,
   * RangeError if there is no reading of something that is charged for.
   */
  async recompute(accountId: string, bill: Bill, readings: readonly UsageReading[]): Promise<PricedBill> {
    const { customerId } = bill;
    const charges = await Promise.all(
      bill.charges.map(async (charge) => {
        const { priceId, version } = charge.price;
        return { ...charge, price: await this.catalog.priceVersion(accountId, priceId, version) };
      }),
    );
    return this.price({ ...bill, charges }, async (metricId, { start, end }) => {
      const reading = readings.find(
        (one) => one.metricId === metricId && one.start === start && one.end === end,
      );
      if (!reading)
        throw new RangeError(`The invoice does not say how ${metricId} was measured from ${start} to ${end}`);
      const definition = await this.catalog.metricDefinition(accountId, metricId, reading.metricVersion);
      const request = { definition, customerId, start, end };
      return { definition, measurement: await this.meters.measureAsOf(request, reading.watermark) };
    });
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

  /** Each metric is measured once for each stretch of time, however many prices charge for it. */
  private async price(bill: Bill, measure: Measure): Promise<PricedBill> {
    const measured = new Map<string, Promise<UsageReading & Measured>>();
    const measuredFor = (metricId: string, service: Period): Promise<UsageReading & Measured> => {
      const key = [metricId, service.start, service.end].join(' ');
      const known = measured.get(key) ?? readingOf(metricId, service, measure);
      measured.set(key, known);
      return known;
    };
    const charges = await Promise.all(
      bill.charges.map(async (charge) => {
        const { price, service } = charge;
        if (price.metricId === null) return charge;
        const { definition, measurement } = await measuredFor(price.metricId, service);
        return { ...charge, usage: measuredUsage(definition, measurement) };
      }),
    );
    const readings = await Promise.all(measured.values());
    return {
      ...computeInvoice({ invoiceId: bill.invoiceId, currency: bill.currency, charges }),
      readings: readings.map(({ definition: _, measurement: __, ...reading }) => reading),
    };
  }
}

async function readingOf(
  metricId: string,
  { start, end }: Period,
  measure: Measure,
): Promise<UsageReading & Measured> {
  const measured = await measure(metricId, { start, end });
  const { definition, measurement } = measured;
  return {
    metricId,
    metricVersion: definition.version,
    start,
    end,
    watermark: measurement.watermark,
    ...measured,
  };
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
