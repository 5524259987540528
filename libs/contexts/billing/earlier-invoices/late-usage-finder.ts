import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import {
  Invoices,
  type Invoice,
  type LateUsageReading,
  type LateUsageSearchProgress,
  type UsageReading,
} from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import type { Charge, CommitmentWithLateUsage, GiveBackSourceLine } from '#libs/rating';
import type { Instant } from '#libs/kernel/core';
import { UsageMeters } from '#libs/usage';
import { billedCommitments, commitmentsWithLateUsage } from './billed-commitments.js';
import { billedUsage, isReadingOfCharge, type InvoicedBill, type BilledUsage } from './billed-usage.js';
import { DecidedBills } from '../decide/decided-bills.js';
import { earliestPosition, usageReadingsOf, mergeTimeRanges } from './usage-readings.js';

/** Late usage, with the earlier lines that billed the same time range: see {@link BilledUsage.sources}. */
export interface LateUsageReadingWithSources extends LateUsageReading {
  /** The lines of earlier invoices that billed the usage, and whose amounts can still be given back. */
  readonly sources: readonly GiveBackSourceLine[];
}

/** The late usage of a subscription's earlier invoices, and the position up to which the usage log was searched. */
export interface FoundLateUsage {
  readonly lateReadings: LateUsageReadingWithSources[];
  /** The position up to which the usage log was searched, and the time ranges that the next search checks. */
  readonly lookBack?: LateUsageSearchProgress;
  /** The minimum commitments whose interval has late usage. Absent or empty if no interval has late usage. */
  readonly lateCommitments?: readonly CommitmentWithLateUsage[];
  /**
   * The ids of the earlier invoices that were searched for late usage. An attempt to create the later invoice may have recorded a give-back
   * on any of these invoices, and then crashed. Absent if no invoice was searched.
   */
  readonly searchedInvoiceIds?: readonly string[];
}

/** The result of a search if no earlier invoice has measured usage. */
const NO_LATE_USAGE: FoundLateUsage = { lateReadings: [], lookBack: { through: '0', spans: [] } };

/**
 * Finds usage that was stored after its period had been billed. Each search begins where the search for the previous invoice ended, so no
 * usage is billed twice. A search reads only the hours with new usage, so a search without new usage is cheap.
 */
@Injectable()
export class LateUsageFinder {
  constructor(
    private readonly bills: DecidedBills,
    private readonly invoices: Invoices,
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
  ) {}

  /**
   * Returns the invoice of the previous bill, reduced to the part of this subscription. Null if this is the first bill, or if the previous
   * invoice does not exist yet.
   */
  async previousInvoiceOf(workspaceId: string, bill: Bill): Promise<Invoice | null> {
    const previous = (await this.bills.billsBefore(workspaceId, bill)).at(-1);
    return (previous && (await this.invoices.findInvoicePartOfBill(workspaceId, previous))) ?? null;
  }

  /**
   * Finds late usage of the periods that earlier bills charged. `last` is the invoice of the previous bill. No late usage is added while
   * one of the earlier invoices is being created, or is a draft that is not progressive. A bill that waives charges in arrears gets no late
   * usage. No usage is lost: when a draft is recomputed, the draft includes the late usage of its own period. Late usage of other periods
   * is billed on this draft or on a later invoice. No late usage is added to a progressive invoice, because coupons do not discount a
   * progressive invoice. If `asOf` is given, the earlier bills and invoices are those of that instant: see {@link DecidedBills.billsBefore}.
   */
  async find(workspaceId: string, bill: Bill, last: Invoice | null, asOf?: Instant): Promise<FoundLateUsage> {
    if (last === null || bill.waives) return NO_LATE_USAGE;
    const { customerId } = bill;
    // Usage of a progressive invoice is searched together with the whole period.
    const ownReadings = last.kind === 'progressive' ? [] : usageReadingsOf(last);
    const { lookBack } = last;
    const spans = mergeTimeRanges([...(lookBack?.spans ?? []), ...ownReadings]);
    if (lookBack) {
      if (spans.length === 0) return NO_LATE_USAGE;
      const since = earliestPosition([
        ...(lookBack.spans.length > 0 ? [lookBack.through] : []),
        ...ownReadings.map(({ watermark }) => watermark),
      ]);
      const unsettled: FoundLateUsage = { lateReadings: [], lookBack: { through: since, spans } };
      if (bill.kind === 'progressive') return unsettled;
      const looked = await Promise.all(
        spans.map((span) => this.changed(workspaceId, customerId, span, since)),
      );
      const through = earliestPosition(looked.map(({ watermark }) => watermark));
      if (!looked.some(({ changed }) => changed)) return { lateReadings: [], lookBack: { through, spans } };
      const finalInvoicesBefore = await this.billed(workspaceId, bill, asOf);
      return finalInvoicesBefore ? this.recount(workspaceId, bill, finalInvoicesBefore) : unsettled;
    }
    // Invoices that an earlier version of Countinghouse created have no `lookBack`. Then all earlier invoices are searched, until an
    // invoice can record a `lookBack`.
    const billed = bill.kind === 'progressive' ? undefined : await this.billed(workspaceId, bill, asOf);
    return billed ? this.recount(workspaceId, bill, billed) : { lateReadings: [] };
  }

  /** The usage and the minimum commitments of earlier bills, as the invoices of these bills record them now, or at the instant `asOf`. */
  async readEarlierBillings(
    workspaceId: string,
    bill: Bill,
    asOf?: Instant,
  ): Promise<{ usage: BilledUsage[]; commitments: CommitmentWithLateUsage[] }> {
    const earlier = await this.bills.billsBefore(workspaceId, bill, asOf);
    const billed = await Promise.all(
      earlier.map(async (one) => ({
        bill: one,
        invoice: await this.invoices.findInvoicePartOfBill(workspaceId, one, asOf),
      })),
    );
    const made = billed.filter((one): one is InvoicedBill => one.invoice !== undefined);
    return {
      usage: billedUsage(made, bill.invoiceId),
      commitments: billedCommitments(
        made.map(({ invoice }) => invoice),
        bill.invoiceId,
      ),
    };
  }

  /**
   * Returns a function that finds the newest usage reading for a charge of an earlier bill. The newest reading can be a reading of late
   * usage on the invoice of `bill`. The function returns undefined for a charge that no invoice has billed.
   */
  async createUsageReadingFinder(
    workspaceId: string,
    bill: Bill,
    { lateReadings }: FoundLateUsage,
    asOf?: Instant,
  ): Promise<(charge: Charge) => UsageReading | undefined> {
    const { usage } = await this.readEarlierBillings(workspaceId, bill, asOf);
    return (charge) => {
      const { start, end } = charge.service;
      const billed = usage.find(({ invoiceId, charge: one }) =>
        isReadingOfCharge(
          { invoiceId, priceId: one.price.priceId, priceVersion: one.price.version, ...one.service },
          invoiceId,
          charge,
        ),
      );
      if (!billed) return undefined;
      const { invoiceId, metricId, metricVersion, since } = billed;
      const late = lateReadings.find((reading) => isReadingOfCharge(reading, invoiceId, charge));
      return {
        metricId,
        start,
        end,
        metricVersion: late?.metricVersion ?? metricVersion,
        watermark: late?.watermark ?? since,
      };
    };
  }

  private async recount(
    workspaceId: string,
    { customerId, invoiceId: laterInvoiceId }: Bill,
    billed: InvoicedBill[],
  ): Promise<FoundLateUsage> {
    const usages = billedUsage(billed, laterInvoiceId);
    const counted = await Promise.all(usages.map((usage) => this.count(workspaceId, customerId, usage)));
    if (counted.length === 0) return NO_LATE_USAGE;
    const lateReadings = counted.flatMap(({ usage, changed, watermark, version }) =>
      changed && version !== undefined ? [lateReading(usage, watermark, version)] : [],
    );
    const invoices = billed.map(({ invoice }) => invoice);
    const commitments = billedCommitments(invoices, laterInvoiceId);
    return {
      lateReadings,
      lateCommitments: commitmentsWithLateUsage(commitments, lateReadings),
      searchedInvoiceIds: invoices.map(({ invoiceId }) => invoiceId),
      lookBack: {
        // Usage that no version of the metric can count will be billed later.
        through: earliestPosition(
          counted.map(({ usage, watermark, version }) => (version === undefined ? usage.since : watermark)),
        ),
        spans: mergeTimeRanges(
          counted.map(({ usage: { metricId, metricVersion, charge }, version = metricVersion }) => ({
            metricId,
            metricVersion: version,
            ...charge.service,
          })),
        ),
      },
    };
  }

  /**
   * Finds out whether usage has changed between its billing and `watermark`. In the result, `version` is the version of the metric that can
   * count the usage.
   */
  private async count(workspaceId: string, customerId: string, usage: BilledUsage) {
    const { start, end } = usage.charge.service;
    const looked = await this.changed(workspaceId, customerId, { ...usage, start, end }, usage.since);
    const version = looked.changed
      ? await this.countingVersion(workspaceId, customerId, usage, looked.watermark)
      : usage.metricVersion;
    return { usage, ...looked, version };
  }

  /**
   * The version of the metric that can count the usage. Normally, the version that billed the usage can count it. If the SQL of that
   * version fails on the late events, the newest version of the metric counts the usage. Undefined if the newest version also fails. A
   * usage event cannot be deleted, so one event must not block the invoices of a subscription.
   */
  private async countingVersion(
    workspaceId: string,
    customerId: string,
    { metricId, metricVersion, charge }: BilledUsage,
    watermark: string,
  ): Promise<number | undefined> {
    const own = await this.catalog.metricDefinition(workspaceId, metricId, metricVersion);
    if (own.aggregation.type !== 'sql') return metricVersion;
    const { start, end } = charge.service;
    const newest = await this.catalog.metricDefinition(workspaceId, metricId);
    for (const definition of [own, ...(newest.version === metricVersion ? [] : [newest])])
      if (await this.meters.canMeasureAsOf({ definition, customerId, start, end }, watermark))
        return definition.version;
    return undefined;
  }

  private async changed(
    workspaceId: string,
    customerId: string,
    { metricId, metricVersion, start, end }: LateUsageSearchProgress['spans'][number],
    since: string,
  ): Promise<{ changed: boolean; watermark: string }> {
    const definition = await this.catalog.metricDefinition(workspaceId, metricId, metricVersion);
    return this.meters.checkChangedSince({ definition, customerId, start, end }, since);
  }

  /** The earlier bills of the subscription with their invoices. Undefined while one of these invoices can still change. */
  private async billed(workspaceId: string, bill: Bill, asOf?: Instant): Promise<InvoicedBill[] | undefined> {
    const bills = await this.bills.billsBefore(workspaceId, bill, asOf);
    const invoices: (Invoice | undefined)[] = await Promise.all(
      bills.map((one) => this.invoices.findInvoicePartOfBill(workspaceId, one, asOf)),
    );
    const billed: InvoicedBill[] = [];
    for (const [i, invoice] of invoices.entries()) {
      // A progressive draft is not recomputed, so it cannot change.
      if (invoice === undefined || (invoice.status === 'draft' && invoice.kind !== 'progressive'))
        return undefined;
      billed.push({ bill: bills[i]!, invoice });
    }
    return billed;
  }
}

function lateReading(
  { invoiceId, charge, metricId, metricVersion, basis, since, atMost, sources }: BilledUsage,
  watermark: string,
  countedBy: number,
): LateUsageReadingWithSources {
  const { price, service, period } = charge;
  return {
    metricId,
    metricVersion: countedBy,
    start: service.start,
    end: service.end,
    watermark,
    ...(countedBy === metricVersion ? {} : { billedVersion: metricVersion }),
    priceId: price.priceId,
    priceVersion: price.version,
    period: { start: period.start, end: period.end },
    ...(basis === undefined ? {} : { basis }),
    invoiceId,
    since,
    atMost,
    sources,
  };
}
