import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import {
  upcomingAmendment,
  pricesInChange,
  subscriptionDecider,
  Subscriptions,
  TermsChangeResolver,
  type Amendment,
  type AmendmentKind,
  type RequestedTermsChange,
  type Subscription,
  type SubscriptionUpdate,
} from '#libs/contexts/subscriptions';
import { BillPreviewer, type InvoicePreview } from './bill-previewer.js';
import { LicenseCounter } from '../decide/license-counter.js';
import { PlannedMigrationFinder } from '../decide/planned-migration-finder.js';

/** A requested change of a subscription's terms. */
export interface AmendmentRequest {
  readonly kind: AmendmentKind;
  readonly terms: RequestedTermsChange;
  /** Tells whether partial periods are charged and given back in proportion to time. */
  readonly prorate: boolean;
  /** An instant, or `period_end`. If null, the change takes effect at once. */
  readonly effectiveAt: string | null;
  /** The price migration that requests the change. Absent if the request does not come from a migration. */
  readonly migrationId?: string;
  /** True if a change that takes effect at once replaces all scheduled changes of the plan. Otherwise they stay. */
  readonly replacesPlanChanges?: boolean;
}

/**
 * The result of a change of terms, or of its preview. `invoice` is null if the change bills nothing. When a change is scheduled, `invoice`
 * is null too, because the invoice is created when the change takes effect. The preview of a change at a later time has the expected
 * invoice. If a request is repeated after a newer bill of the subscription, `invoice` is null. If the invoice cannot be created yet,
 * `invoice` is null too, and a task creates the invoice.
 */
export interface AmendmentResult {
  readonly amendment: Amendment;
  readonly subscription: Subscription;
  readonly invoice: InvoicePreview | null;
}

type AmendmentUpdate = Extract<SubscriptionUpdate, { type: 'AmendSubscription' | 'ScheduleAmendment' }>;

/** Prepares changes of a subscription's terms with the present catalog versions, and previews their invoices. */
@Injectable()
export class AmendmentPreviewer {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly changes: TermsChangeResolver,
    private readonly plannedMigrations: PlannedMigrationFinder,
    private readonly previews: BillPreviewer,
    private readonly licenses: LicenseCounter,
  ) {}

  /**
   * Converts the request to an update of the subscription. Throws the errors of {@link TermsChangeResolver.resolve}, such as NotFound if
   * the new plan or a price to add is not in the workspace.
   */
  async toSubscriptionUpdate(
    workspaceId: string,
    { subscriptionId, planId }: Subscription,
    amendmentId: string,
    { kind, terms, prorate, effectiveAt, migrationId, replacesPlanChanges = false }: AmendmentRequest,
  ): Promise<AmendmentUpdate> {
    const wanted = kind === 'migrate' ? { ...terms, planId } : terms;
    const change = await this.changes.resolve(workspaceId, wanted);
    const named = migrationId === undefined ? {} : { migrationId };
    const amendment = { subscriptionId, amendmentId, kind, change, prorate, ...named };
    return effectiveAt === null
      ? { type: 'AmendSubscription', ...amendment, replacesPlanChanges }
      : { type: 'ScheduleAmendment', ...amendment, effectiveAt };
  }

  /**
   * Previews a change of terms, with the lines of its invoice. A change at a later time is previewed with the usage until now. Scheduled
   * changes and price migrations that come before it are applied, and nothing else is assumed to change. The subscription's decider
   * computes the events, and nothing is stored.
   */
  async preview(
    { workspaceId, now: at }: { workspaceId: string; now: Instant },
    subscriptionId: string,
    amendmentId: string,
    request: AmendmentRequest,
  ): Promise<AmendmentResult> {
    const stored = await this.subscriptions.require(workspaceId, subscriptionId);
    const update = await this.toSubscriptionUpdate(workspaceId, stored, amendmentId, request);
    const before = await this.licenses.subscriptionWithLicensesCounted(
      workspaceId,
      stored,
      pricesInChange(update.change),
    );
    const events = subscriptionDecider.decide({ ...update, at }, before);
    const decided = fold(subscriptionDecider, events, before)!;
    const isNow = update.type === 'AmendSubscription';
    const bill = decided.billCount > before.billCount ? decided.lastBill : null;
    const plannedMigrations = isNow
      ? []
      : await this.plannedMigrations.plannedMigrationsOf(workspaceId, before);
    const {
      subscription,
      bill: due,
      billsBefore,
    } = isNow
      ? { subscription: decided, bill, billsBefore: [] }
      : (upcomingAmendment(decided, amendmentId, plannedMigrations) ?? {
          subscription: decided,
          bill: null,
          billsBefore: [],
        });
    const amendment = subscription.amendments.find((one) => one.amendmentId === amendmentId)!;
    const invoice =
      due && (await this.previews.previewBill(workspaceId, due, [subscription], { billsBefore }));
    return { amendment, subscription, invoice };
  }
}
