import { Injectable } from '@nestjs/common';
import { BillPricer } from '#libs/contexts/billing';
import { addSeconds, InvalidRequest, type Instant } from '#libs/kernel/core';
import { aggregateId, fold } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import { Invoices, revenueEarnedBy, type UsageReading } from '#libs/contexts/invoicing';
import {
  billOfEvent,
  subscriptionDecider,
  unbilledBill,
  type Bill,
  type Subscription,
  type SubscriptionEvent,
} from '#libs/contexts/subscriptions';
import type { UnbilledAmount } from './events.js';
import type { RevenueAccrual } from './revenue-accrual.js';

/** Bills of a subscription's first accrual that are older than this number of days are not looked at. Their invoices have been opened. */
const OLDEST_DRAFT_DAYS = 100;
const DAY = 86_400;

/** What a subscription had earned at the end of a month, without an opened invoice. */
export interface UnbilledRevenue {
  readonly unbilled: readonly UnbilledAmount[];
  readonly readings: readonly UsageReading[];
  /** The instant at which the next bill is expected. */
  readonly nextBillAt: Instant;
}

/**
 * Measures what a subscription had earned at the end of a month and no opened invoice had billed. It uses the subscription as it was at
 * that instant, whatever was billed since, so a late measurement gives the same result. The price is computed as on an invoice.
 */
@Injectable()
export class UnbilledRevenueMeter {
  constructor(
    private readonly streams: StreamReader,
    private readonly pricer: BillPricer,
    private readonly invoices: Invoices,
  ) {}

  /**
   * @param through the last instant of the month
   * @param last the newest earlier accrual; undefined if there is none
   * @returns undefined if the subscription did not exist yet
   */
  async measure(
    workspaceId: string,
    subscriptionId: string,
    through: Instant,
    timezone: string,
    last: RevenueAccrual | undefined,
  ): Promise<UnbilledRevenue | undefined> {
    const stream = `${subscriptionDecider.category}-${aggregateId(workspaceId, subscriptionId)}`;
    const events = (await this.streams.read(stream)).filter(({ metadata }) => metadata.occurredAt <= through);
    const subscription = fold(subscriptionDecider, events as unknown as SubscriptionEvent[]);
    if (subscription === undefined) return undefined;
    const bills = events.flatMap((event) => billOfEvent(event) ?? []);
    const open = await this.openPeriod(workspaceId, subscription, bills.at(-1), through, timezone);
    const awaited = await Promise.all(
      billsToLookAt(bills, through, last).map((bill) => this.ofDraft(workspaceId, bill, through, timezone)),
    );
    return {
      unbilled: [...open.unbilled, ...awaited.flat()],
      readings: open.readings,
      nextBillAt: subscription.period.end,
    };
  }

  /** Measures the time that no bill charges yet. */
  private async openPeriod(
    workspaceId: string,
    subscription: Subscription,
    previous: Bill | undefined,
    through: Instant,
    timezone: string,
  ): Promise<Pick<UnbilledRevenue, 'unbilled' | 'readings'>> {
    const bill =
      subscription.phase === 'active' ? unbilledBill(subscription, addSeconds(through, 0.001)) : null;
    if (bill === null) return { unbilled: [], readings: [] };
    const invoice = previous && (await this.invoices.ofBill(workspaceId, previous));
    try {
      const priced = await this.pricer.compute(workspaceId, [bill], { previous: [invoice ?? null] });
      const revenue = revenueEarnedBy(
        { lines: [...priced.lines], taxes: [...priced.taxes], currency: bill.currency },
        through,
        timezone,
      );
      return {
        unbilled: revenue.map((one) => ({ ...one, invoiceId: null })),
        readings: priced.parts.flatMap(({ readings }) => readings),
      };
    } catch (error) {
      // Usage that cannot be measured is revenue when it is invoiced. That invoice is retried until the measurement succeeds.
      if (error instanceof InvalidRequest && error.code === 'metric_sql_failed')
        return { unbilled: [], readings: [] };
      throw error;
    }
  }

  /** The revenue of a bill whose invoice was not open at that instant. Empty if it was open, or if it was voided as a draft. */
  private async ofDraft(
    workspaceId: string,
    bill: Bill,
    through: Instant,
    timezone: string,
  ): Promise<UnbilledAmount[]> {
    const { invoiceId, subscriptionId } = bill;
    const invoice = await this.invoices.find(workspaceId, invoiceId);
    if (invoice && invoice.issuedAt !== null && invoice.issuedAt <= through) return [];
    if (invoice?.status === 'void' && invoice.issuedAt === null) return [];
    const details = invoice ?? {
      ...(await this.pricer.compute(workspaceId, [bill])),
      currency: bill.currency,
    };
    const { lines, taxes = [], currency } = details;
    return revenueEarnedBy(
      { lines: [...lines], taxes: [...taxes], currency },
      through,
      timezone,
      subscriptionId,
    ).map((one) => ({ ...one, invoiceId }));
  }
}

/** The bills whose invoices were possibly not open at that instant. */
function billsToLookAt(bills: readonly Bill[], through: Instant, last: RevenueAccrual | undefined): Bill[] {
  const since = last?.at ?? addSeconds(through, -OLDEST_DRAFT_DAYS * DAY);
  const awaited = new Set(last?.unbilled.map(({ invoiceId }) => invoiceId));
  return bills.filter(({ billedAt, invoiceId }) => billedAt > since || awaited.has(invoiceId));
}
