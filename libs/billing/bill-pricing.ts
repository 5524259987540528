import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/catalog';
import { partOf, type Invoice, type LateReading, type UsageReading } from '#libs/invoicing';
import {
  BY_TIME,
  countsTowards,
  isAdditive,
  needsEvents,
  tallyEvents,
  type Charge,
  type EventTally,
  type InvoicedBefore,
  type InvoiceLine,
  type LateUsage,
  type MeasuredUsage,
  type Period,
  type PriceConfig,
  type PriceSnapshot,
  type ProrationBasis,
} from '#libs/rating';
import type { Bill } from '#libs/subscriptions';
import { UsageMeters, type Measurement, type MeasureRequest } from '#libs/usage';
import { BillingTerms, type Terms } from './billing-terms.js';
import { LateUsages, type FoundLate } from './late-usage.js';
import { priced, type MeasuredBill, type PricedBills } from './priced-bills.js';
import { invoicedBeforeOn } from './progressive/invoiced-before.js';
import { InvoicedUsages } from './progressive/invoiced-usages.js';

/** What was measured, and what was asked for. */
interface Measured {
  readonly request: MeasureRequest;
  readonly measurement: Measurement;
}

/** How a bill is measured; what came late, and how that is; and what was invoiced before the period was over. */
interface Measuring {
  readonly measure: (metricId: string, service: Period) => Promise<Measured>;
  readonly found: Promise<FoundLate>;
  readonly measureAsOf: (request: MeasureRequest, watermark: string) => Promise<Measurement>;
  readonly invoicedBefore: (charge: Charge) => InvoicedBefore | undefined;
  /** How what other bills charge for was measured when it was last billed; undefined: as `measure` does. */
  readonly lastBilled: () => Promise<(charge: Charge) => UsageReading | undefined>;
}

/** What an invoice says of how a bill was measured. */
export interface TakenReadings {
  readonly readings: readonly UsageReading[];
  readonly late: FoundLate;
  readonly lines: readonly InvoiceLine[];
}

/** Measures what a bill charges for and computes its lines: the same for a preview and for the invoice. */
@Injectable()
export class BillPricing {
  constructor(
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
    private readonly terms: BillingTerms,
    private readonly late: LateUsages,
    private readonly invoiced: InvoicedUsages,
  ) {}

  /**
   * The lines and the total of the invoice of these bills, by the usage that has been acknowledged and by `terms`, or those that hold so
   * far; with what has come late for the bills of their subscriptions before them. `previous`: of each bill the invoice of the one
   * right before it, null for none.
   */
  async compute(
    accountId: string,
    bills: readonly Bill[],
    { terms, previous }: { terms?: Terms; previous?: readonly (Invoice | null)[] } = {},
  ): Promise<PricedBills> {
    const agreed = terms ?? (await this.terms.of(accountId, bills));
    const measured = await Promise.all(
      bills.map(async (bill, i) => {
        const given = previous?.[i];
        const last =
          given === undefined
            ? await this.late.previousOf(accountId, bill)
            : ((given && partOf(given, bill.subscriptionId)) ?? null);
        return this.measure(accountId, bill, agreed.bases[i]!, await this.asOfNow(accountId, bill, last));
      }),
    );
    return priced(bills, measured, agreed);
  }

  /**
   * What {@link compute} came to when it took these readings by these terms, and left out what its lines say was invoiced before: by the
   * prices and metrics as the catalog has them in the versions that are named, and by the usage log up to where it was read. `taken`:
   * of each bill. NotFound if the catalog has no such version, RangeError if there is no reading of something that is charged for.
   */
  async recompute(
    accountId: string,
    bills: readonly Bill[],
    taken: readonly TakenReadings[],
    terms: Terms,
  ): Promise<PricedBills> {
    const measured = await Promise.all(
      bills.map(async (bill, i) =>
        this.measure(
          accountId,
          await this.inCatalog(accountId, bill),
          terms.bases[i]!,
          this.asTaken(accountId, bill, taken[i]!),
        ),
      ),
    );
    return priced(bills, measured, terms);
  }

  /**
   * Whether a period's usage costs the same when it is billed in parts: for a price that adds up, of a count or a sum. The
   * greatest of two parts is not the sum of the greatest of each, nor is the number of different values.
   */
  async isDivisible(accountId: string, { metricId, config }: PriceSnapshot): Promise<boolean> {
    if (metricId === null || !isAdditive(config)) return false;
    const { aggregation } = await this.catalog.metricDefinition(accountId, metricId);
    return aggregation.type === 'count' || aggregation.type === 'sum';
  }

  /** Measures by the usage that there is; `last` is the invoice of the bill before, null for none. */
  private async asOfNow(accountId: string, bill: Bill, last: Invoice | null): Promise<Measuring> {
    const { customerId } = bill;
    const invoicedBefore = await this.invoiced.before(accountId, bill, (earlier) =>
      this.compute(accountId, [earlier]),
    );
    const found = this.late.find(accountId, bill, last);
    return {
      invoicedBefore,
      found,
      lastBilled: async () => this.late.lastBilled(accountId, bill, await found),
      measureAsOf: (request, watermark) => this.meters.remeasure(request, watermark),
      measure: async (metricId, { start, end }) => {
        const definition = await this.catalog.metricDefinition(accountId, metricId);
        const request = { definition, customerId, start, end };
        return { request, measurement: await this.meters.measure(request) };
      },
    };
  }

  /** Measures as it was measured then. */
  private asTaken(
    accountId: string,
    { customerId }: Bill,
    { readings, late, lines }: TakenReadings,
  ): Measuring {
    return {
      invoicedBefore: (charge) => invoicedBeforeOn(lines, charge),
      // Its readings are among those that were taken.
      lastBilled: () => Promise.resolve(() => undefined),
      found: Promise.resolve(late),
      measureAsOf: (request, watermark) => this.meters.measureAsOf(request, watermark),
      measure: async (metricId, { start, end }) => {
        const reading = readings.find(
          (one) => one.metricId === metricId && one.start === start && one.end === end,
        );
        if (!reading)
          throw new RangeError(
            `The invoice does not say how ${metricId} was measured from ${start} to ${end}`,
          );
        const definition = await this.catalog.metricDefinition(accountId, metricId, reading.metricVersion);
        const request = { definition, customerId, start, end };
        return { request, measurement: await this.meters.measureAsOf(request, reading.watermark) };
      },
    };
  }

  /** The bill with its prices as the catalog has them. */
  private async inCatalog(accountId: string, bill: Bill): Promise<Bill> {
    const { commitment } = bill;
    const priced = allOf(async (charge: Charge) => {
      const { priceId, version } = charge.price;
      return { ...charge, price: await this.catalog.priceVersion(accountId, priceId, version) };
    });
    const [charges, counted] = await Promise.all([priced(bill.charges), priced(commitment?.counted ?? [])]);
    return { ...bill, charges, ...(commitment ? { commitment: { ...commitment, counted } } : {}) };
  }

  /** Each metric is measured once for each stretch of time, however many prices charge for it. */
  private async measure(
    accountId: string,
    { charges: charged, commitment, customerId }: Bill,
    basis: ProrationBasis,
    { found: finding, measureAsOf, measure, invoicedBefore, lastBilled }: Measuring,
  ): Promise<MeasuredBill> {
    const known = new Map<string, Promise<Measured>>();
    const measured = (
      metricId: string,
      service: Period,
      take = () => measure(metricId, service),
    ): Promise<Measured> => {
      const key = [metricId, service.start, service.end].join(' ');
      const reading = known.get(key) ?? take();
      known.set(key, reading);
      return reading;
    };
    const used = allOf(async (charge: Charge) => {
      const { price, service } = charge;
      if (price.metricId === null) return charge;
      return { ...charge, usage: await this.usageFor(price, await measured(price.metricId, service)) };
    });
    const usedBefore = async (charges: readonly Charge[]) => {
      if (charges.every(({ price }) => price.metricId === null)) return used(charges);
      const readingFor = await lastBilled();
      return allOf(async (charge: Charge) => {
        const reading = readingFor(charge);
        if (!reading) return (await used([charge]))[0]!;
        const { metricId, metricVersion, watermark, ...service } = reading;
        const taken = measured(metricId, service, async () => {
          const definition = await this.catalog.metricDefinition(accountId, metricId, metricVersion);
          const request = { definition, customerId, ...service };
          return { request, measurement: await measureAsOf(request, watermark) };
        });
        return { ...charge, usage: await this.usageFor(charge.price, await taken) };
      })(charges);
    };
    // Of what other bills charge, only usage that falls within the time counts, and as it has been billed: what came late
    // since counts when it is billed.
    const countable = (commitment?.counted ?? []).filter(
      (charge) => charge.price.metricId === null || countsTowards(charge, commitment!),
    );
    const [found, own, counted] = await Promise.all([finding, used(charged), usedBefore(countable)]);
    const charges = own.map((charge) => {
      const invoiced = invoicedBefore(charge);
      return invoiced ? { ...charge, invoiced } : charge;
    });
    const late = await Promise.all(
      found.lateReadings.map((reading) => this.lateUsage(accountId, customerId, reading, measureAsOf)),
    );
    const { lateCommitments, ...looked } = found;
    return {
      ...looked,
      charged: {
        ...{ charges, late, basis },
        ...(commitment ? { commitment: { ...commitment, counted } } : {}),
        ...(lateCommitments ? { lateCommitments } : {}),
      },
      readings: (await Promise.all(known.values())).map(readingOf),
    };
  }

  /** What usage came to when it was billed, and what it comes to with what came late. */
  private async lateUsage(
    accountId: string,
    customerId: string,
    reading: LateReading,
    measureAsOf: Measuring['measureAsOf'],
  ): Promise<LateUsage> {
    const { metricId, metricVersion, start, end, priceId, priceVersion, period } = reading;
    const { billedVersion = metricVersion, invoiceId, since, watermark, atMost, basis = BY_TIME } = reading;
    const price = await this.catalog.priceVersion(accountId, priceId, priceVersion);
    const upTo = async (place: string, version: number): Promise<MeasuredUsage> => {
      const definition = await this.catalog.metricDefinition(accountId, metricId, version);
      const request = { definition, customerId, start, end };
      return this.usageFor(price, { request, measurement: await measureAsOf(request, place) });
    };
    const [billed, counted] = await Promise.all([upTo(since, billedVersion), upTo(watermark, metricVersion)]);
    const charge = { price, service: { start, end }, period };
    return { charge, basis, invoiceId, billed, counted, since, watermark, atMost };
  }

  /** What a price is put on: the quantities, and the single events only for a price that looks at them. */
  private async usageFor({ config }: PriceSnapshot, measured: Measured): Promise<MeasuredUsage> {
    const { version, aggregation } = measured.request.definition;
    const { groups, watermark } = measured.measurement;
    const tallies = needsEvents(config) ? await this.tallies(config, measured) : undefined;
    return {
      metricVersion: version,
      groupBy: aggregation.groupBy ?? [],
      groups: groups.map(({ key, quantity }) => ({
        values: key,
        quantity,
        watermark,
        ...(tallies ? { events: tallies.get(JSON.stringify(key)) ?? tallyEvents(config, []) } : {}),
      })),
    };
  }

  /** By group, as JSON. */
  private async tallies(
    config: PriceConfig,
    { request, measurement }: Measured,
  ): Promise<Map<string, EventTally>> {
    const tallies = new Map<string, EventTally>();
    for await (const batch of this.meters.events(request, measurement.watermark))
      for (const [group, events] of Map.groupBy(batch, ({ key }) => JSON.stringify(key))) {
        const amounts = events.map(({ value }) => value);
        tallies.set(group, tallyEvents(config, amounts, tallies.get(group)));
      }
    return tallies;
  }
}

/** Does it to all of a list. */
function allOf<A, B>(one: (item: A) => Promise<B>): (items: readonly A[]) => Promise<B[]> {
  return (items) => Promise.all(items.map(one));
}

function readingOf({ request, measurement }: Measured): UsageReading {
  const { definition, start, end } = request;
  const { metricId, version } = definition;
  return { metricId, metricVersion: version, start, end, watermark: measurement.watermark };
}
