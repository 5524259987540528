import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { Catalog } from '#libs/contexts/catalog';
import type { Invoice, UsageReading } from '#libs/contexts/invoicing';
import {
  PRORATION_BY_TIME,
  countedChargesWithPrices,
  countsTowardsCommitment,
  type AppliedTax,
  type Charge,
  type EarlierUsageCharges,
  type InvoiceLine,
  type LateUsage,
  type MeasuredUsage,
  type Period,
  type ProrationBasis,
} from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { UsageMeters, type Measurement, type MeasureRequest } from '#libs/usage';
import {
  RemainingFeeFinder,
  restoreRemainingFee,
  type RemainingFeeWithTaxRates,
} from '../earlier-invoices/remaining-fee-finder.js';
import {
  LateUsageFinder,
  type FoundLateUsage,
  type LateUsageReadingWithSources,
} from '../earlier-invoices/late-usage-finder.js';
import { usageReadingOf, usageForPrice, type RequestedMeasurement } from './measured-usage.js';
import type { MeasuredBill } from './measured-bill.js';
import { restoreEarlierUsageCharges } from '../earlier-invoices/earlier-usage-charges.js';
import { restoreFoundLateUsage, type RecordedLateUsage } from '../earlier-invoices/recorded-late-usage.js';
import { InvoicedUsageFinder, type ComputeBill } from '../earlier-invoices/invoiced-usage-finder.js';

/** The source of the data for measuring a bill: present data, or the data that an issued invoice recorded. */
interface MeasurementSource {
  readonly measure: (metricId: string, service: Period) => Promise<RequestedMeasurement>;
  readonly foundLateUsage: Promise<FoundLateUsage>;
  readonly measureAsOf: (request: MeasureRequest, watermark: string) => Promise<Measurement>;
  readonly invoicedBefore: (charge: Charge) => EarlierUsageCharges | undefined;
  readonly remainingFeeOf: (charge: Charge) => RemainingFeeWithTaxRates;
  /**
   * Returns a function that finds the newest usage reading for a charge of an earlier bill. If the function returns undefined, `measure`
   * measures the usage of the charge.
   */
  readonly lastBilled: () => Promise<(charge: Charge) => UsageReading | undefined>;
}

/** The measurements of a bill that its invoice recorded. */
export interface RecordedMeasurements {
  readonly readings: readonly UsageReading[];
  readonly late: RecordedLateUsage;
  /** The lines of the invoice, which name the lines of earlier invoices whose amounts they give back. */
  readonly lines: readonly InvoiceLine[];
  readonly taxes?: readonly AppliedTax[];
}

/** Measures the usage that a bill charges for. The measurement uses either the present usage, or the readings of an issued invoice. */
@Injectable()
export class BillMeasurer {
  constructor(
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
    private readonly late: LateUsageFinder,
    private readonly invoiced: InvoicedUsageFinder,
    private readonly fees: RemainingFeeFinder,
  ) {}

  /**
   * Measures a bill with the present usage. `last` is the invoice of the previous bill, or null if there is no previous bill. `compute`
   * prices earlier bills whose invoices do not exist yet. `billsBefore` are earlier bills that are only previewed. `asOf` is the instant at
   * which the earlier bills and invoices count; by default, the present ones count.
   */
  async measureNow(
    workspaceId: string,
    bill: Bill,
    {
      basis,
      last,
      compute,
      billsBefore,
      asOf,
    }: {
      basis: ProrationBasis;
      last: Invoice | null;
      compute: ComputeBill;
      billsBefore: readonly Bill[];
      asOf?: Instant;
    },
  ): Promise<MeasuredBill> {
    const measuring = await this.presentSource(workspaceId, bill, last, compute, asOf);
    const fees = await this.fees.findRemainingFees(workspaceId, bill, { basis, before: billsBefore });
    const measured = await this.measure(workspaceId, bill, basis, {
      ...measuring,
      remainingFeeOf: fees.remainingFeeOf,
    });
    return { ...measured, carried: fees.carriedDiscounts };
  }

  /**
   * Measures a bill again with the readings that its invoice recorded. Prices are read from the catalog, in the versions that the bill
   * names.
   */
  async measureFromRecord(
    workspaceId: string,
    bill: Bill,
    { basis, taken }: { basis: ProrationBasis; taken: RecordedMeasurements },
  ): Promise<MeasuredBill> {
    return this.measure(
      workspaceId,
      await this.withCatalogPrices(workspaceId, bill),
      basis,
      this.recordedSource(workspaceId, bill, taken),
    );
  }

  private async presentSource(
    workspaceId: string,
    bill: Bill,
    last: Invoice | null,
    compute: ComputeBill,
    asOf: Instant | undefined,
  ): Promise<Omit<MeasurementSource, 'remainingFeeOf'>> {
    const { customerId } = bill;
    const invoicedBefore = await this.invoiced.createEarlierUsageFinder(workspaceId, bill, compute);
    const foundLateUsage = this.late.find(workspaceId, bill, last, asOf);
    return {
      invoicedBefore,
      foundLateUsage,
      lastBilled: async () =>
        this.late.createUsageReadingFinder(workspaceId, bill, await foundLateUsage, asOf),
      measureAsOf: (request, watermark) => this.meters.measureAsOfByRollups(request, watermark),
      measure: async (metricId, { start, end }) => {
        const definition = await this.catalog.metricDefinition(workspaceId, metricId);
        const request = { definition, customerId, start, end };
        return { request, measurement: await this.meters.measure(request) };
      },
    };
  }

  private recordedSource(
    workspaceId: string,
    { customerId }: Bill,
    { readings, late, lines, taxes = [] }: RecordedMeasurements,
  ): MeasurementSource {
    return {
      invoicedBefore: (charge) => restoreEarlierUsageCharges({ lines, taxes }, charge),
      remainingFeeOf: (charge) => restoreRemainingFee({ lines: [...lines], taxes }, charge),
      // The recorded readings include the readings of other bills, so `measure` finds them.
      lastBilled: () => Promise.resolve(() => undefined),
      foundLateUsage: Promise.resolve(restoreFoundLateUsage(late, { lines, taxes })),
      measureAsOf: (request, watermark) => this.meters.measureAsOf(request, watermark),
      measure: async (metricId, { start, end }) => {
        const reading = readings.find(
          (one) => one.metricId === metricId && one.start === start && one.end === end,
        );
        if (!reading)
          throw new RangeError(`The invoice has no reading of ${metricId} from ${start} to ${end}`);
        const definition = await this.catalog.metricDefinition(workspaceId, metricId, reading.metricVersion);
        const request = { definition, customerId, start, end };
        return { request, measurement: await this.meters.measureAsOf(request, reading.watermark) };
      },
    };
  }

  /** Returns the bill with its prices read from the catalog again. */
  private async withCatalogPrices(workspaceId: string, bill: Bill): Promise<Bill> {
    const { commitment } = bill;
    const priced = mapAll(async (charge: Charge) => {
      const { priceId, version } = charge.price;
      return { ...charge, price: await this.catalog.priceVersion(workspaceId, priceId, version) };
    });
    const [charges, counted] = await Promise.all([
      priced(bill.charges),
      priced(commitment ? countedChargesWithPrices(commitment) : []),
    ]);
    return { ...bill, charges, ...(commitment ? { commitment: { ...commitment, counted } } : {}) };
  }

  /** Measures each metric only once for each time range, even if several prices charge for it. */
  private async measure(
    workspaceId: string,
    { charges: charged, commitment, customerId }: Bill,
    basis: ProrationBasis,
    { foundLateUsage, measureAsOf, measure, invoicedBefore, remainingFeeOf, lastBilled }: MeasurementSource,
  ): Promise<MeasuredBill> {
    const known = new Map<string, Promise<RequestedMeasurement>>();
    const measured = (
      metricId: string,
      service: Period,
      take = () => measure(metricId, service),
    ): Promise<RequestedMeasurement> => {
      const key = [metricId, service.start, service.end].join(' ');
      const reading = known.get(key) ?? take();
      known.set(key, reading);
      return reading;
    };
    const used = mapAll(async (charge: Charge) => {
      const { price, service } = charge;
      if (price.metricId === null) return charge;
      return {
        ...charge,
        usage: await usageForPrice(price, await measured(price.metricId, service), this.meters),
      };
    });
    const usedBefore = async (charges: readonly Charge[]) => {
      if (charges.every(({ price }) => price.metricId === null)) return used(charges);
      const readingFor = await lastBilled();
      return mapAll(async (charge: Charge) => {
        const reading = readingFor(charge);
        if (!reading) return (await used([charge]))[0]!;
        const { metricId, metricVersion, watermark, ...service } = reading;
        const taken = measured(metricId, service, async () => {
          const definition = await this.catalog.metricDefinition(workspaceId, metricId, metricVersion);
          const request = { definition, customerId, ...service };
          return { request, measurement: await measureAsOf(request, watermark) };
        });
        return { ...charge, usage: await usageForPrice(charge.price, await taken, this.meters) };
      })(charges);
    };
    // Charges of other bills count towards the commitment only within its interval, with the amounts that were billed. Late usage counts
    // when it is billed.
    const countable = (commitment ? countedChargesWithPrices(commitment) : []).filter(
      (charge) => charge.price.metricId === null || countsTowardsCommitment(charge, commitment!),
    );
    const [found, own, counted] = await Promise.all([foundLateUsage, used(charged), usedBefore(countable)]);
    const charges = own.map((charge) => {
      const invoiced = invoicedBefore(charge);
      return { ...charge, ...(invoiced ? { invoiced } : {}), ...remainingFeeOf(charge) };
    });
    const late = await Promise.all(
      found.lateReadings.map((reading) => this.lateUsage(workspaceId, customerId, reading, measureAsOf)),
    );
    const { lateCommitments, ...looked } = found;
    return {
      ...looked,
      subscriptionCharges: {
        charges,
        late,
        basis,
        ...(commitment ? { commitment: { ...commitment, counted } } : {}),
        ...(lateCommitments ? { lateCommitments } : {}),
      },
      readings: (await Promise.all(known.values())).map(usageReadingOf),
    };
  }

  /** Measures the usage of one time range twice: once as it was last billed, and once with the late usage. */
  private async lateUsage(
    workspaceId: string,
    customerId: string,
    reading: LateUsageReadingWithSources,
    measureAsOf: MeasurementSource['measureAsOf'],
  ): Promise<LateUsage> {
    const { metricId, metricVersion, start, end, priceId, priceVersion, period } = reading;
    const { billedVersion = metricVersion, invoiceId, since, watermark, basis = PRORATION_BY_TIME } = reading;
    const { atMost, sources } = reading;
    const price = await this.catalog.priceVersion(workspaceId, priceId, priceVersion);
    const upTo = async (place: string, version: number): Promise<MeasuredUsage> => {
      const definition = await this.catalog.metricDefinition(workspaceId, metricId, version);
      const request = { definition, customerId, start, end };
      return usageForPrice(price, { request, measurement: await measureAsOf(request, place) }, this.meters);
    };
    const [billed, counted] = await Promise.all([upTo(since, billedVersion), upTo(watermark, metricVersion)]);
    const charge = { price, service: { start, end }, period };
    return { charge, basis, invoiceId, billed, counted, since, watermark, atMost, sources };
  }
}

/** Converts a function for one item to a function for a list of items. */
function mapAll<A, B>(one: (item: A) => Promise<B>): (items: readonly A[]) => Promise<B[]> {
  return (items) => Promise.all(items.map(one));
}
