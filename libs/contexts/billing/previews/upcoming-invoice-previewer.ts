import { Injectable } from '@nestjs/common';
import { Decimal, InvalidRequest, StateConflict, moneyString, type Instant } from '#libs/kernel/core';
import { withStreamCache } from '#libs/kernel/event-store';
import {
  firstPeriodEndWithoutBill,
  moveToConsolidatedInvoice,
  pricesInChange,
  requireNotEnded,
  Subscriptions,
  nextBilledPeriod,
  type Bill,
  type Subscription,
  type UpcomingPeriod,
} from '#libs/contexts/subscriptions';
import { BillPreviewer, type InvoicePreview } from './bill-previewer.js';
import { Consolidations } from '../consolidation/consolidations.js';
import { LicenseCounter } from '../decide/license-counter.js';
import { OverageInvoicer } from '../invoice/overage-invoicer.js';
import { PlannedMigrationFinder } from '../decide/planned-migration-finder.js';

/** Previews the next invoice of a subscription, with the usage until now. */
@Injectable()
export class UpcomingInvoicePreviewer {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly previews: BillPreviewer,
    private readonly plannedMigrations: PlannedMigrationFinder,
    private readonly consolidations: Consolidations,
    private readonly licenses: LicenseCounter,
    private readonly overageInvoicer: OverageInvoicer,
  ) {}

  /**
   * Previews the next invoice as it will be if nothing changes, with all subscriptions that share it. If no due change bills anything and
   * there is no overage, the preview has no lines. Throws StateConflict (`subscription_canceled`) if the subscription has ended. Throws
   * StateConflict (`subscription_paused`) if a pause without a planned end comes before the next invoice. Throws StateConflict
   * (`nothing_to_invoice`) if the subscription ends without another invoice, for example with its trial.
   */
  async preview(workspaceId: string, subscriptionId: string): Promise<InvoicePreview> {
    return withStreamCache(() => this.previewNext(workspaceId, subscriptionId));
  }

  /**
   * A key that identifies the invoice at the end of a period. All subscriptions that share the invoice have the same key. Undefined if the
   * present period does not end at `end`, if no bill is made at `end`, or if another bill comes first. An invoice that contains only
   * overage has no key.
   */
  async invoiceKeyAtPeriodEnd(
    workspaceId: string,
    subscriptionId: string,
    end: Instant,
  ): Promise<string | undefined> {
    const subscription = await this.subscriptions.require(workspaceId, subscriptionId);
    const upcoming = await this.billedAtPeriodEnd(workspaceId, subscription, end);
    if (!upcoming) return undefined;
    return (await this.invoiceIdFor(workspaceId, upcoming)) ?? `${subscriptionId} ${end}`;
  }

  /**
   * Previews the invoice at a period's end, with all subscriptions that share it. Undefined in the same cases as
   * {@link invoiceKeyAtPeriodEnd}.
   */
  async previewAtPeriodEnd(
    workspaceId: string,
    subscriptionId: string,
    end: Instant,
  ): Promise<InvoicePreview | undefined> {
    return withStreamCache(async () => {
      const subscription = await this.subscriptions.require(workspaceId, subscriptionId);
      const upcoming = await this.billedAtPeriodEnd(workspaceId, subscription, end);
      return upcoming && this.previewShared(workspaceId, subscription, upcoming);
    });
  }

  private async previewNext(workspaceId: string, subscriptionId: string): Promise<InvoicePreview> {
    const subscription = await this.subscriptions.require(workspaceId, subscriptionId);
    requireNotEnded(subscription);
    const overage = await this.overageAlone(workspaceId, subscription);
    if (overage) return overage;
    const upcoming = await this.upcomingOf(workspaceId, subscription);
    if (upcoming === null) throw noInvoiceError(subscription);
    const { period, billedAt } = upcoming;
    if (isBilled(upcoming)) return this.previewShared(workspaceId, subscription, upcoming);
    const { customerId, currency } = subscription;
    const { start: periodStart, end: periodEnd } = period;
    const nothing = { lines: [], total: moneyString(new Decimal(0), currency) };
    const about = { subscriptionId, customerId, currency, periodStart, periodEnd, billedAt };
    return this.previews.previewWithBalance(workspaceId, { ...about, ...nothing });
  }

  private async billedAtPeriodEnd(
    workspaceId: string,
    subscription: Subscription,
    end: Instant,
  ): Promise<BilledUpcoming | undefined> {
    if (subscription.period.end !== end) return undefined;
    const upcoming = await this.upcomingOf(workspaceId, subscription);
    return isBilled(upcoming) && upcoming.billedAt === end ? upcoming : undefined;
  }

  /** Previews the next invoice, including the customer's other subscriptions that share it. */
  private async previewShared(
    workspaceId: string,
    subscription: Subscription,
    upcoming: BilledUpcoming,
  ): Promise<InvoicePreview> {
    const shared = await this.billsOfSharedInvoice(workspaceId, subscription, upcoming);
    const bills = shared.map(({ bill }) => bill);
    const own = bills.find(({ subscriptionId }) => subscriptionId === subscription.subscriptionId)!;
    const subscriptions = shared.map((one) => one.subscription);
    return this.previews.previewBill(workspaceId, own, subscriptions, { bills });
  }

  /**
   * The bills of the invoice, in their order on the invoice, with their subscriptions as they are then. The bills include other
   * subscriptions of the customer if the workspace's settings ask for shared invoices.
   */
  private async billsOfSharedInvoice(
    workspaceId: string,
    subscription: Subscription,
    upcoming: BilledUpcoming,
  ): Promise<Pick<BilledUpcoming, 'bill' | 'subscription'>[]> {
    const invoiceId = await this.invoiceIdFor(workspaceId, upcoming);
    if (invoiceId === undefined) return [upcoming];
    const shared: Pick<BilledUpcoming, 'bill' | 'subscription'>[] = [];
    for (const id of await this.consolidations.candidateSubscriptionIds(workspaceId, subscription)) {
      const isOwn = id === subscription.subscriptionId;
      const next = isOwn
        ? upcoming
        : await this.upcomingOf(workspaceId, await this.subscriptions.require(workspaceId, id));
      if (!isBilled(next) || (await this.invoiceIdFor(workspaceId, next)) !== invoiceId) continue;
      const bill = moveToConsolidatedInvoice(next.bill, next.subscription, invoiceId);
      shared.push({ bill, subscription: next.subscription });
    }
    return shared;
  }

  /** Previews the invoice that contains only overage. Undefined if there is no overage, or if the invoice of a bill comes first. */
  private async overageAlone(
    workspaceId: string,
    subscription: Subscription,
  ): Promise<InvoicePreview | undefined> {
    const at = firstPeriodEndWithoutBill(...(await this.plannedFor(workspaceId, subscription)));
    const overage = at && (await this.overageInvoicer.preview(workspaceId, subscription, at));
    if (!overage) return undefined;
    const { subscriptionId } = subscription;
    return this.previews.previewWithBalance(workspaceId, { ...overage, subscriptionId });
  }

  private async upcomingOf(workspaceId: string, subscription: Subscription): Promise<UpcomingPeriod | null> {
    return nextBilledPeriod(...(await this.plannedFor(workspaceId, subscription)));
  }

  /** Returns the subscription with its present licenses, and the price migrations that will change it. */
  private async plannedFor(workspaceId: string, subscription: Subscription) {
    const plannedMigrations = await this.plannedMigrations.plannedMigrationsOf(workspaceId, subscription);
    const prices = plannedMigrations.flatMap(({ amendment }) => pricesInChange(amendment.change));
    return [
      await this.licenses.subscriptionWithLicensesCounted(workspaceId, subscription, prices),
      plannedMigrations,
    ] as const;
  }

  private async invoiceIdFor(workspaceId: string, { bill, consolidatedKind: kind }: BilledUpcoming) {
    if (bill.kind !== kind) return undefined;
    const { customerId, currency, billedAt } = bill;
    return this.consolidations.invoiceIdFor(workspaceId, { customerId, currency, kind, billedAt });
  }
}

function noInvoiceError({ phase, plannedPause }: Subscription): InvalidRequest {
  if (phase === 'paused' || plannedPause !== null)
    return new StateConflict(
      'subscription_paused',
      'A pause of the subscription comes before its next invoice; the subscription is billed again after it is resumed',
    );
  return new StateConflict('nothing_to_invoice', 'The subscription ends without another invoice');
}

type BilledUpcoming = UpcomingPeriod & { readonly bill: Bill };

function isBilled(upcoming: UpcomingPeriod | null): upcoming is BilledUpcoming {
  return upcoming !== null && upcoming.bill !== null;
}
