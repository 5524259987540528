import { Injectable } from '@nestjs/common';
import { BillPricer, composeInvoice } from '#libs/contexts/billing';
import { addSeconds, InvalidRequest, type Instant } from '#libs/kernel/core';
import { aggregateId, fold, type Recorded, type RecordedEvent } from '#libs/kernel/domain';
import { Invoices, revenueEarnedBy, type Invoice, type NewInvoice } from '#libs/contexts/invoicing';
import type { InvoiceLine } from '#libs/rating';
import {
  billOfEvent,
  eventsInEffectAt,
  subscriptionDecider,
  revenueMeasurementBill,
  type Bill,
  type Subscription,
  type SubscriptionEvent,
} from '#libs/contexts/subscriptions';
import type { MeasuredLines, UnbilledAmount } from './events.js';
import type { MonthEnd } from './month-accruer.js';

/**
 * For the first accrual, and if a month is measured again, bills that are older than this number of days are ignored, unless the newest
 * accrual has their drafts. The invoices of ignored bills are taken to be open already.
 */
const OLDEST_DRAFT_DAYS = 100;
const DAY = 86_400;

/** The revenue of a subscription or a wallet that was earned by the end of a month and billed by no opened invoice. */
export interface UnbilledRevenue {
  /** The unbilled revenue, by price. */
  readonly unbilled: readonly UnbilledAmount[];
  /**
   * The lines that a bill would have for the time that no existing bill charges. Absent if existing bills charge the whole time, if the
   * subscription is not active, or if the usage cannot be measured.
   */
  readonly measured?: MeasuredLines;
  /** The instant at which the next bill is expected. */
  readonly nextBillAt: Instant;
}

/**
 * Measures the revenue that a subscription had earned by the end of a month and that no opened invoice had billed. The measurement uses the
 * subscription and its invoices as they were at the end of the month, so a late measurement gives the same result. The unbilled revenue is priced as on an
 * invoice.
 */
@Injectable()
export class UnbilledRevenueMeter {
  constructor(
    private readonly pricer: BillPricer,
    private readonly invoices: Invoices,
  ) {}

  /**
   * @param events all events of the subscription, oldest first
   * @returns undefined if the subscription did not exist yet
   */
  async measure(events: readonly RecordedEvent[], end: MonthEnd): Promise<UnbilledRevenue | undefined> {
    const { workspaceId, at: through, timezone } = end;
    const found = subscriptionAt(events, through);
    if (found === undefined) return undefined;
    const { subscription, bills } = found;
    const open = await this.ofUnbilledTime(workspaceId, subscription, bills.at(-1), through, timezone);
    const awaited = await Promise.all(
      billsToLookAt(bills, end).map((bill) => this.ofDraft(workspaceId, bill, through, timezone)),
    );
    return {
      ...open,
      unbilled: [...open.unbilled, ...awaited.flat()],
      nextBillAt: subscription.period.end,
    };
  }

  /** Measures the revenue of the time that no bill charges yet. */
  private async ofUnbilledTime(
    workspaceId: string,
    subscription: Subscription,
    previous: Bill | undefined,
    through: Instant,
    timezone: string,
  ): Promise<Pick<UnbilledRevenue, 'unbilled' | 'measured'>> {
    const bill = billOfUnbilledTime(subscription, through);
    if (bill === null) return { unbilled: [] };
    const invoice = previous && (await this.invoices.findInvoicePartOfBill(workspaceId, previous, through));
    try {
      const priced = await this.pricer.compute(workspaceId, [bill], {
        previous: [invoice ?? null],
        asOf: through,
      });
      const measured = measuredLinesOf(composeInvoice([bill], priced));
      return { unbilled: unbilledAmountsOf(measured, bill.currency, through, timezone), measured };
    } catch (error) {
      if (isUnmeasurable(error)) return { unbilled: [] };
      throw error;
    }
  }

  /**
   * The revenue of a bill whose invoice was not yet opened at the end of the month. Empty if the invoice was already open, or if it was
   * voided as a draft.
   */
  private async ofDraft(
    workspaceId: string,
    bill: Bill,
    through: Instant,
    timezone: string,
  ): Promise<UnbilledAmount[]> {
    const { invoiceId, subscriptionId } = bill;
    const invoice = await this.invoices.find(workspaceId, invoiceId);
    if (invoice && !isOpenedAfter(invoice, through)) return [];
    const details = invoice ?? (await this.computed(workspaceId, bill));
    if (details === undefined) return [];
    const { lines, taxes = [], currency } = details;
    // The overage of a wallet is accrued separately, because any invoice of the customer can bill it.
    const isOwn = (line: InvoiceLine) =>
      line.type !== 'overage' && (line.subscriptionId ?? subscriptionId) === subscriptionId;
    return revenueEarnedBy({ lines: [...lines], taxes: [...taxes], currency }, through, timezone, isOwn).map(
      (one) => ({ ...one, invoiceId }),
    );
  }

  /** The lines of a bill whose invoice does not exist yet. Undefined if the usage of the bill cannot be measured. */
  private async computed(workspaceId: string, bill: Bill) {
    try {
      return { ...(await this.pricer.compute(workspaceId, [bill])), currency: bill.currency };
    } catch (error) {
      if (isUnmeasurable(error)) return undefined;
      throw error;
    }
  }
}

/**
 * Tells whether an error says that usage cannot be measured. Usage that cannot be measured becomes revenue when it is invoiced. The invoice
 * of such usage is retried until the measurement succeeds.
 */
export function isUnmeasurable(error: unknown): boolean {
  return error instanceof InvalidRequest && error.code === 'metric_sql_failed';
}

/** The bills whose invoices may not have been open at the end of the month. */
function billsToLookAt(bills: readonly Bill[], { month, at, lastAccrual: last }: MonthEnd): Bill[] {
  const isAgain = last?.month === month;
  const since = last && !isAgain ? last.at : addSeconds(at, -OLDEST_DRAFT_DAYS * DAY);
  const awaited = new Set(last?.unbilled.map(({ invoiceId }) => invoiceId));
  return bills.filter(({ billedAt, invoiceId }) => billedAt > since || awaited.has(invoiceId));
}

/** Returns true if an invoice was opened after the instant `at`. If the invoice was never opened, returns true unless it is void. */
export function isOpenedAfter({ status, issuedAt }: Invoice, at: Instant): boolean {
  return issuedAt === null ? status !== 'void' : issuedAt > at;
}

/** The name of a subscription's stream. */
export function subscriptionStreamName(workspaceId: string, subscriptionId: string): string {
  return `${subscriptionDecider.category}-${aggregateId(workspaceId, subscriptionId)}`;
}

/**
 * The subscription as it was at an instant, with its bills up to that instant: see {@link eventsInEffectAt}. Undefined if the subscription
 * did not exist yet.
 */
export function subscriptionAt(
  events: readonly RecordedEvent[],
  at: Instant,
): { subscription: Subscription; bills: Bill[] } | undefined {
  const before = eventsInEffectAt(events as readonly Recorded<SubscriptionEvent>[], at);
  const subscription = fold(subscriptionDecider, before);
  return subscription && { subscription, bills: before.flatMap((event) => billOfEvent(event) ?? []) };
}

/** The bill that would charge the unbilled time up to the end of a month. Null if there is nothing to charge. */
export function billOfUnbilledTime(subscription: Subscription, through: Instant): Bill | null {
  return subscription.phase === 'active'
    ? revenueMeasurementBill(subscription, addSeconds(through, 0.001))
    : null;
}

/** The part of measured lines that is earned by the end of a month, by price. */
export function unbilledAmountsOf(
  { lines, taxes = [] }: MeasuredLines,
  currency: string,
  through: Instant,
  timezone: string,
): UnbilledAmount[] {
  return revenueEarnedBy({ lines, taxes, currency }, through, timezone).map((one) => ({
    ...one,
    invoiceId: null,
  }));
}

/**
 * The part of an invoice that is stored with an accrual. The reason for a tax exemption is personal data, so only the fact of the exemption
 * is stored.
 */
export function measuredLinesOf(
  invoice: Pick<NewInvoice, (keyof MeasuredLines & keyof NewInvoice) | 'taxExemption'>,
): MeasuredLines {
  const { lines, taxes, taxRateIds, discounts, readings, taxExemption } = invoice;
  const { lateReadings, lookBack, lateCommitments, basis } = invoice;
  return {
    lines,
    ...(taxes ? { taxes } : {}),
    ...(taxRateIds ? { taxRateIds } : {}),
    ...(discounts ? { discounts } : {}),
    ...(readings ? { readings } : {}),
    ...(lateReadings ? { lateReadings } : {}),
    ...(lookBack ? { lookBack } : {}),
    ...(lateCommitments ? { lateCommitments } : {}),
    ...(basis ? { basis } : {}),
    ...(taxExemption === undefined ? {} : { exempt: true }),
  };
}
