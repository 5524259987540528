import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import {
  billOfAmendment,
  subscriptionDecider,
  Subscriptions,
  TermsChanges,
  type Amendment,
  type AmendmentKind,
  type RequestedTerms,
  type Subscription,
  type SubscriptionUpdate,
} from '#libs/contexts/subscriptions';
import { BillPreviews, type InvoicePreview } from './bill-previews.js';
import { PlannedPriceChanges } from '../decide/planned-price-changes.js';

/** A change of terms as it is asked for. */
export interface AmendmentRequest {
  readonly kind: AmendmentKind;
  readonly terms: RequestedTerms;
  readonly prorate: boolean;
  /** An instant, or `period_end`. Null: now. */
  readonly effectiveAt: string | null;
  /** The price migration that asks for it; absent: none does. */
  readonly migrationId?: string;
}

/** What a change of terms comes to. `invoice` is null if it bills nothing, or nothing yet. */
export interface AmendmentResult {
  readonly amendment: Amendment;
  readonly subscription: Subscription;
  readonly invoice: InvoicePreview | null;
}

type AmendmentUpdate = Extract<SubscriptionUpdate, { type: 'AmendSubscription' | 'ScheduleAmendment' }>;

/** Changes of terms: what is asked for in the catalog's versions, and what it would come to. */
@Injectable()
export class Amendments {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly changes: TermsChanges,
    private readonly priceChanges: PlannedPriceChanges,
    private readonly previews: BillPreviews,
  ) {}

  /** The request as an update of the subscription. NotFound if a plan or a price is not in the workspace. */
  async updateFor(
    workspaceId: string,
    { subscriptionId, planId }: Subscription,
    amendmentId: string,
    { kind, terms, prorate, effectiveAt, migrationId }: AmendmentRequest,
  ): Promise<AmendmentUpdate> {
    const wanted = kind === 'migrate' ? { ...terms, planId } : terms;
    const change = await this.changes.resolve(workspaceId, wanted);
    const named = migrationId === undefined ? {} : { migrationId };
    const amendment = { subscriptionId, amendmentId, kind, change, prorate, ...named };
    return effectiveAt === null
      ? { type: 'AmendSubscription', ...amendment }
      : { type: 'ScheduleAmendment', ...amendment, effectiveAt };
  }

  /**
   * What a change would come to, with the very lines that would be invoiced. A later change is computed as if nothing else happened until
   * then, with the usage of now. Decided by what decides it, and appended nowhere.
   */
  async preview(
    { workspaceId, now: at }: { workspaceId: string; now: Instant },
    subscriptionId: string,
    amendmentId: string,
    request: AmendmentRequest,
  ): Promise<AmendmentResult> {
    const before = await this.subscriptions.require(workspaceId, subscriptionId);
    const update = await this.updateFor(workspaceId, before, amendmentId, request);
    const events = subscriptionDecider.decide({ ...update, at }, before);
    const decided = fold(subscriptionDecider, events, before)!;
    const isNow = update.type === 'AmendSubscription';
    const bill = decided.billCount > before.billCount ? decided.lastBill : null;
    const priceChanges = isNow ? [] : await this.priceChanges.of(workspaceId, before);
    const {
      subscription,
      bill: due,
      billsBefore,
    } = isNow
      ? { subscription: decided, bill, billsBefore: [] }
      : (billOfAmendment(decided, amendmentId, priceChanges) ?? {
          ...{ subscription: decided, bill: null, billsBefore: [] },
        });
    const amendment = subscription.amendments.find((one) => one.amendmentId === amendmentId)!;
    const invoice = due && (await this.previews.of(workspaceId, due, subscription.planId, { billsBefore }));
    return { amendment, subscription, invoice };
  }
}
