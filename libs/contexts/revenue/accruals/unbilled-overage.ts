import { Injectable } from '@nestjs/common';
import { CustomerSubscriptionFinder, OverageInvoicer } from '#libs/contexts/billing';
import {
  overageAfterEvent,
  walletDecider,
  walletId,
  type MetricCredits,
  type WalletEvent,
  type WalletKey,
} from '#libs/contexts/credits';
import { Invoices, revenueEarnedBy } from '#libs/contexts/invoicing';
import { Subscriptions } from '#libs/contexts/subscriptions';
import type { Instant } from '#libs/kernel/core';
import type { InvoiceLine } from '#libs/rating';
import type { Recorded } from '#libs/kernel/domain';
import { StreamReader } from '#libs/kernel/event-store';
import { lastInstantOfMonth, monthAfter } from '../book-months.js';
import type { AccruedOverage, UnbilledAmount } from './events.js';
import type { MeasuredMonth, MonthEnd } from './month-accruer.js';
import { isOpenedAfter, measuredLinesOf, unbilledAmountsOf } from './unbilled-revenue.js';

/** The maximum number of a customer's subscriptions that are read to find the next bill. */
const MAX_SUBSCRIPTIONS = 100;

type BilledOverage = Extract<WalletEvent, { type: 'CreditOverageBilled' }>['data'];

/** The overage of a wallet at an instant, and the invoices that billed it before and after that instant. */
export interface OverageReading extends Omit<AccruedOverage, 'creditType'> {
  /** The overage that was put on invoices after the wallet's previous accrual and up to the instant. */
  readonly billed: readonly BilledOverage[];
  /** The time of the first invoice that billed overage after the instant. Undefined if there is none. */
  readonly nextBilledAt: Instant | undefined;
  /** True if the wallet has overage that no invoice has billed yet. */
  readonly hasUnbilledOverage: boolean;
}

/** Measures the overage of prepaid credits that no opened invoice had billed at the end of a month. */
@Injectable()
export class UnbilledOverageMeter {
  constructor(
    private readonly streams: StreamReader,
    private readonly invoices: Invoices,
    private readonly invoicer: OverageInvoicer,
    private readonly customers: CustomerSubscriptionFinder,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** Measures a month's end. `hasMore` tells whether the wallet has overage that later months will accrue. */
  async measure(key: WalletKey, end: MonthEnd): Promise<{ measured: MeasuredMonth; hasMore: boolean }> {
    const { workspaceId, at, timezone, lastAccrual: last } = end;
    const { customerId, creditType } = key;
    const found = await readOverage(this.streams, workspaceId, key, at, last?.overage);
    const { credits, revision, billed, nextBilledAt: billedLaterAt, hasUnbilledOverage: hasMore } = found;
    const priced = await this.invoicer.computeUnbilledInvoice(workspaceId, { ...key, overage: credits }, at);
    const { currency } = priced;
    const open = credits.length === 0 ? undefined : measuredLinesOf(priced);
    const awaited = new Set([
      ...(last?.unbilled ?? []).flatMap(({ invoiceId }) => invoiceId ?? []),
      ...billed.map(({ invoiceId }) => invoiceId),
    ]);
    const drafts = await Promise.all([...awaited].map((id) => this.ofDraft(key, id, billed, end)));
    return {
      hasMore,
      measured: {
        subscriptionId: null,
        customerId,
        currency,
        unbilled: [...(open ? unbilledAmountsOf(open, currency, at, timezone) : []), ...drafts.flat()],
        ...(open ? { measured: open } : {}),
        overage: { creditType, credits, revision },
        nextBillAt: billedLaterAt ?? (await this.nextBillAt(key, currency, end)),
      },
    };
  }

  /** The revenue of overage on an invoice that was not yet opened at the end of the month. */
  private async ofDraft(
    key: WalletKey,
    invoiceId: string,
    billed: readonly BilledOverage[],
    { workspaceId, at, timezone }: MonthEnd,
  ): Promise<UnbilledAmount[]> {
    const invoice = await this.invoices.find(workspaceId, invoiceId);
    if (invoice && !isOpenedAfter(invoice, at)) return [];
    const overage = billed.flatMap((one) => (one.invoiceId === invoiceId ? one.overage : []));
    const details =
      invoice ?? (await this.invoicer.computeUnbilledInvoice(workspaceId, { ...key, overage }, at));
    const { lines, taxes = [], currency } = details;
    const isOwn = ({ type, creditType }: InvoiceLine) => type === 'overage' && creditType === key.creditType;
    const amounts = revenueEarnedBy({ lines: [...lines], taxes: [...taxes], currency }, at, timezone, isOwn);
    return amounts.map((one) => ({ ...one, invoiceId }));
  }

  /**
   * The next end of a period among the customer's subscriptions in this currency. If no subscription will bill the overage, returns the end
   * of the second month after `month`, so that the next accrual comes before the reversal of this one.
   */
  private async nextBillAt(
    { customerId }: WalletKey,
    currency: string,
    { workspaceId, month, at, timezone }: MonthEnd,
  ): Promise<Instant> {
    const ids = await this.customers.oldestLiveSubscriptionIds(workspaceId, customerId, MAX_SUBSCRIPTIONS);
    const found = await Promise.all(ids.map((id) => this.subscriptions.find(workspaceId, id)));
    const ends = found.flatMap((one) =>
      one?.currency === currency && one.phase === 'active' && one.period.end > at ? [one.period.end] : [],
    );
    return ends.sort()[0] ?? lastInstantOfMonth(monthAfter(monthAfter(month)), timezone);
  }
}

/**
 * Reads the overage of a wallet at an instant. `before` is the overage of an earlier accrual. Only the wallet's events after the earlier
 * accrual are read. The reading ends before the first event that is later than the instant, and ignores all events after it.
 */
async function readOverage(
  streams: StreamReader,
  workspaceId: string,
  key: WalletKey,
  at: Instant,
  before: AccruedOverage | undefined,
): Promise<OverageReading> {
  const events = await readWalletAfter(streams, workspaceId, key, before);
  const first = events.findIndex(({ metadata }) => metadata.occurredAt > at);
  const [own, later] = first < 0 ? [events, []] : [events.slice(0, first), events.slice(first)];
  const { credits, revision } = overageAfter(before, own);
  const isBilled = (event: Recorded<WalletEvent>) => event.type === 'CreditOverageBilled';
  return {
    credits,
    revision,
    billed: own.filter(isBilled).map(({ data }) => data),
    nextBilledAt: later.find(isBilled)?.metadata.occurredAt,
    hasUnbilledOverage: later.reduce<readonly MetricCredits[]>(overageAfterEvent, credits).length > 0,
  };
}

/** Reads the events of a wallet after an accrual, whose overage is `before`. Without an accrual, reads all events of the wallet. */
export async function readWalletAfter(
  streams: StreamReader,
  workspaceId: string,
  key: WalletKey,
  before: AccruedOverage | undefined,
): Promise<Recorded<WalletEvent>[]> {
  const stream = `${walletDecider.category}-${walletId(workspaceId, key)}`;
  const options = before ? { fromRevision: BigInt(before.revision) + 1n } : {};
  return (await streams.read(stream, options)) as Recorded<WalletEvent>[];
}

/** The overage of a wallet after these events, which come after the events of `before`. */
export function overageAfter(
  before: AccruedOverage | undefined,
  events: readonly Recorded<WalletEvent>[],
): Pick<AccruedOverage, 'credits' | 'revision'> {
  return {
    credits: events.reduce<readonly MetricCredits[]>(overageAfterEvent, before?.credits ?? []),
    revision: (events.at(-1)?.revision ?? BigInt(before?.revision ?? -1)).toString(),
  };
}
