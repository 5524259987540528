import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import {
  Invoices,
  type Invoice,
  type LateReading,
  type LookBack,
  type UsageReading,
} from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import type { Charge, LateCommitment, SourceLine } from '#libs/rating';
import { UsageMeters } from '#libs/usage';
import { billedCommitments, commitmentsOf } from './billed-commitments.js';
import { billedUsage, isOf, type Billed, type BilledUsage } from './billed-usage.js';
import { DecidedBills } from '../decide/decided-bills.js';
import { firstPlace, readingsOf, spansOf } from './usage-readings.js';

/** Usage that came late, with the lines that billed it before: see {@link BilledUsage.sources}. */
export interface FoundReading extends LateReading {
  readonly sources: readonly SourceLine[];
}

/** What earlier invoices of a subscription billed and comes to something else by now, and how far that was looked through. */
export interface FoundLate {
  readonly lateReadings: FoundReading[];
  readonly lookBack?: LookBack;
  /** The minimum commitments of that time; absent: none. */
  readonly lateCommitments?: readonly LateCommitment[];
  /** The earlier invoices: of any of them somebody who made this one before, with other usage, may have recorded a give-back. Absent: none. */
  readonly lookedAt?: readonly string[];
}

/** Nothing was measured before. */
const NOTHING: FoundLate = { lateReadings: [], lookBack: { through: '0', spans: [] } };

/**
 * Finds usage that came after its period had been billed. Each invoice begins where the one before it had stopped looking, so nothing is
 * billed twice. It looks only at hours that have changed, so it costs little when nothing did.
 */
@Injectable()
export class LateUsages {
  constructor(
    private readonly bills: DecidedBills,
    private readonly invoices: Invoices,
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
  ) {}

  /** The invoice of the bill before this one, as its subscription sees it; null if there is none yet. */
  async previousOf(workspaceId: string, bill: Bill): Promise<Invoice | null> {
    const previous = (await this.bills.before(workspaceId, bill)).at(-1);
    return (previous && (await this.invoices.ofBill(workspaceId, previous))) ?? null;
  }

  /**
   * Late usage of what the bills before this one charged; `last` is the invoice of the bill right before it. While one of their invoices is
   * a draft, or is being made, nothing is looked for. A draft follows its usage by itself. Late usage of other periods is billed on that
   * draft or after it. A progressive invoice has no late usage, since no coupon discounts it.
   */
  async find(workspaceId: string, bill: Bill, last: Invoice | null): Promise<FoundLate> {
    if (last === null || bill.waives) return NOTHING;
    const { customerId } = bill;
    // What was charged before its period was over is looked at with the whole of it.
    const ownReadings = last.kind === 'progressive' ? [] : readingsOf(last);
    const { lookBack } = last;
    const spans = spansOf([...(lookBack?.spans ?? []), ...ownReadings]);
    if (lookBack) {
      if (spans.length === 0) return NOTHING;
      const since = firstPlace([
        ...(lookBack.spans.length > 0 ? [lookBack.through] : []),
        ...ownReadings.map(({ watermark }) => watermark),
      ]);
      const unsettled: FoundLate = { lateReadings: [], lookBack: { through: since, spans } };
      if (bill.kind === 'progressive') return unsettled;
      const looked = await Promise.all(
        spans.map((span) => this.changed(workspaceId, customerId, span, since)),
      );
      const through = firstPlace(looked.map(({ watermark }) => watermark));
      if (!looked.some(({ changed }) => changed)) return { lateReadings: [], lookBack: { through, spans } };
      const billed = await this.billed(workspaceId, bill);
      return billed ? this.settle(workspaceId, bill, billed) : unsettled;
    }
    // Invoices from before these notes were taken are all looked at, until they can be noted.
    const billed = bill.kind === 'progressive' ? undefined : await this.billed(workspaceId, bill);
    return billed ? this.settle(workspaceId, bill, billed) : { lateReadings: [] };
  }

  /** How far each of what the earlier bills charged for has been billed: what their invoices say by now. */
  async billedBefore(
    workspaceId: string,
    bill: Bill,
  ): Promise<{ usage: BilledUsage[]; commitments: LateCommitment[] }> {
    const earlier = await this.bills.before(workspaceId, bill);
    const billed = await Promise.all(
      earlier.map(async (one) => ({
        bill: one,
        invoice: await this.invoices.ofBill(workspaceId, one),
      })),
    );
    const made = billed.filter((one): one is Billed => one.invoice !== undefined);
    return {
      usage: billedUsage(made, bill.invoiceId),
      commitments: billedCommitments(
        made.map(({ invoice }) => invoice),
        bill.invoiceId,
      ),
    };
  }

  /**
   * How what earlier bills charge for was measured when it was last billed, which may be on this very bill's invoice, with what came
   * late. Undefined for what no invoice has billed.
   */
  async lastBilled(
    workspaceId: string,
    bill: Bill,
    { lateReadings }: FoundLate,
  ): Promise<(charge: Charge) => UsageReading | undefined> {
    const { usage } = await this.billedBefore(workspaceId, bill);
    return (charge) => {
      const { start, end } = charge.service;
      const billed = usage.find(({ invoiceId, charge: one }) =>
        isOf(
          { invoiceId, priceId: one.price.priceId, priceVersion: one.price.version, ...one.service },
          invoiceId,
          charge,
        ),
      );
      if (!billed) return undefined;
      const { invoiceId, metricId, metricVersion, since } = billed;
      const late = lateReadings.find((reading) => isOf(reading, invoiceId, charge));
      return {
        ...{ metricId, start, end },
        metricVersion: late?.metricVersion ?? metricVersion,
        watermark: late?.watermark ?? since,
      };
    };
  }

  private async settle(
    workspaceId: string,
    { customerId, invoiceId: byInvoiceId }: Bill,
    billed: Billed[],
  ): Promise<FoundLate> {
    const usages = billedUsage(billed, byInvoiceId);
    const counted = await Promise.all(usages.map((usage) => this.count(workspaceId, customerId, usage)));
    if (counted.length === 0) return NOTHING;
    const lateReadings = counted.flatMap(({ usage, changed, watermark, version }) =>
      changed && version !== undefined ? [lateReading(usage, watermark, version)] : [],
    );
    const invoices = billed.map(({ invoice }) => invoice);
    const commitments = billedCommitments(invoices, byInvoiceId);
    return {
      lateReadings,
      lateCommitments: commitmentsOf(commitments, lateReadings),
      lookedAt: invoices.map(({ invoiceId }) => invoiceId),
      lookBack: {
        // What no version can count stays to be billed.
        through: firstPlace(
          counted.map(({ usage, watermark, version }) => (version === undefined ? usage.since : watermark)),
        ),
        spans: spansOf(
          counted.map(({ usage: { metricId, metricVersion, charge }, version = metricVersion }) => ({
            ...{ metricId, metricVersion: version, ...charge.service },
          })),
        ),
      },
    };
  }

  /** Whether usage has changed since it was billed, up to where that was looked at, and what can count it by now. */
  private async count(workspaceId: string, customerId: string, usage: BilledUsage) {
    const { start, end } = usage.charge.service;
    const looked = await this.changed(workspaceId, customerId, { ...usage, start, end }, usage.since);
    const version = looked.changed
      ? await this.countingVersion(workspaceId, customerId, usage, looked.watermark)
      : usage.metricVersion;
    return { usage, ...looked, version };
  }

  /**
   * The version of the metric that can count the usage: the one that billed it or, if its SQL fails on the late events, the newest.
   * Undefined if that fails as well. An event that nobody can take back must not keep a subscription from being invoiced.
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
      if (await this.meters.canMeasure({ definition, customerId, start, end }, watermark))
        return definition.version;
    return undefined;
  }

  private async changed(
    workspaceId: string,
    customerId: string,
    { metricId, metricVersion, start, end }: LookBack['spans'][number],
    since: string,
  ): Promise<{ changed: boolean; watermark: string }> {
    const definition = await this.catalog.metricDefinition(workspaceId, metricId, metricVersion);
    return this.meters.changedSince({ definition, customerId, start, end }, since);
  }

  /** The bills before this one with their invoices; undefined as long as one of those can still change. */
  private async billed(workspaceId: string, bill: Bill): Promise<Billed[] | undefined> {
    const bills = await this.bills.before(workspaceId, bill);
    const invoices: (Invoice | undefined)[] = await Promise.all(
      bills.map((one) => this.invoices.ofBill(workspaceId, one)),
    );
    const billed: Billed[] = [];
    for (const [i, invoice] of invoices.entries()) {
      // A progressive one does not follow its usage.
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
): FoundReading {
  const { price, service, period } = charge;
  return {
    ...{ metricId, metricVersion: countedBy, start: service.start, end: service.end, watermark },
    ...(countedBy === metricVersion ? {} : { billedVersion: metricVersion }),
    ...{
      priceId: price.priceId,
      priceVersion: price.version,
      period: { start: period.start, end: period.end },
    },
    ...(basis === undefined ? {} : { basis }),
    ...{ invoiceId, since, atMost, sources },
  };
}
