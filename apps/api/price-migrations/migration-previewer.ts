import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import { customerCouponsDecider, type CustomerCoupons } from '#libs/contexts/coupons';
import type { CommandContext } from '#libs/kernel/event-store';
import { CurrentBillingSettings, prorationBasisOf, type Invoice } from '#libs/contexts/invoicing';
import {
  migrationEffect,
  requireMigratablePlans,
  totalEffects,
  type MigrationDetails,
  type MigrationEffect,
  type MoveTime,
  type TotalEffect,
} from '#libs/contexts/price-migrations';
import type { Subscription } from '#libs/contexts/subscriptions';
import { CustomerCouponQueries } from '#projections/coupons';
import { InvoiceQueries } from '#projections/invoices';
import { SubscriptionQueries } from '#projections/subscriptions';

const BETWEEN_TURNS = 20;
/**
 * The largest number of subscriptions in a preview. All previewed subscriptions are in one response, which is kept in memory until it is
 * sent.
 */
const MAX_PREVIEWED = 10_000;

/** Computes the effect of a price migration, from the present state of the subscriptions. */
@Injectable()
export class MigrationPreviewer {
  constructor(
    private readonly catalog: Catalog,
    private readonly subscriptions: SubscriptionQueries,
    private readonly settings: CurrentBillingSettings,
    private readonly invoices: InvoiceQueries,
    private readonly coupons: CustomerCouponQueries,
  ) {}

  /**
   * Returns the effect of the migration on each covered subscription, in the order of their ids, and the total effect. The effect is
   * computed for a move of all subscriptions now, or of each subscription at the end of its period. Throws NotFound if a plan does not
   * exist in the workspace, and InvalidRequest if there are too many subscriptions.
   */
  async preview(
    { workspaceId, now }: Pick<CommandContext, 'workspaceId' | 'now'>,
    scope: Pick<MigrationDetails, 'fromPlanId' | 'toPlanId' | 'customerIds' | 'priceMap'>,
    { atPeriodEnd }: Pick<MoveTime, 'atPeriodEnd'>,
  ): Promise<{ effects: MigrationEffect[]; totals: TotalEffect[] }> {
    await requireMigratablePlans(this.catalog, workspaceId, scope);
    const { fromPlanId: planId, toPlanId, customerIds, priceMap = {} } = scope;
    const { name: planName, trialDays: _, ...to } = await this.catalog.resolvePlan(workspaceId, toPlanId);
    requireWithinPreviewLimit(await this.subscriptions.countLiveOnPlan(workspaceId, { planId, customerIds }));
    const settings = await this.settings.ofWorkspace(workspaceId);
    const effects: MigrationEffect[] = [];
    const coupons = new Map<string, CustomerCoupons>();
    for await (const page of this.subscriptions.pagesOfLiveOnPlan(workspaceId, { planId, customerIds })) {
      const invoices = await this.invoicesOf(workspaceId, page);
      await this.addCoupons(coupons, workspaceId, page);
      for (const subscription of page) {
        const { subscriptionId, customerId } = subscription;
        const { redemptions } = coupons.get(customerId) ?? { redemptions: [] };
        const effect = migrationEffect(
          subscription,
          { plan: { ...to, planName }, priceMap },
          { at: now, atPeriodEnd },
          {
            prorationBasis: prorationBasisOf(settings, subscription),
            invoices: invoices.get(subscriptionId) ?? [],
            coupons: redemptions,
          },
        );
        effects.push(effect);
        useCoupons(coupons, effect);
        // The effect on ten thousand subscriptions takes seconds to compute, so other requests are served in between.
        if (effects.length % BETWEEN_TURNS === 0) await nextTurn();
      }
    }
    return { effects, totals: totalEffects(effects) };
  }

  /** Returns the invoices that charged the prepaid fees of each subscription, by subscription id. */
  private async invoicesOf(
    workspaceId: string,
    subscriptions: readonly Subscription[],
  ): Promise<Map<string, Invoice[]>> {
    const idsOf = ({ prepaid }: Subscription) => [...new Set(prepaid.map(({ invoiceId }) => invoiceId))];
    const ids = [...new Set(subscriptions.flatMap(idsOf))];
    const invoices = await this.invoices.findByIds(workspaceId, ids);
    const byId = new Map(invoices.map((invoice) => [invoice.invoiceId, invoice]));
    return new Map(
      subscriptions.map((one) => [one.subscriptionId, idsOf(one).flatMap((id) => byId.get(id) ?? [])]),
    );
  }

  /** Reads the coupons of customers whose coupons are not in `coupons` yet, and adds them. */
  private async addCoupons(
    coupons: Map<string, CustomerCoupons>,
    workspaceId: string,
    subscriptions: readonly Subscription[],
  ): Promise<void> {
    const customerIds = new Set(subscriptions.map(({ customerId }) => customerId));
    const unknown = [...customerIds].filter((customerId) => !coupons.has(customerId));
    const found = await this.coupons.couponsByCustomer(workspaceId, unknown);
    for (const [customerId, one] of found) coupons.set(customerId, one);
  }
}

/**
 * Marks the coupons that the preview of one subscription used. The preview of the customer's other subscriptions then cannot use them a
 * second time.
 */
function useCoupons(
  coupons: Map<string, CustomerCoupons>,
  { customerId, couponUses }: MigrationEffect,
): void {
  for (const use of couponUses) {
    const event = { type: 'CouponUsed', data: { customerId, ...use } } as const;
    coupons.set(customerId, customerCouponsDecider.evolve(coupons.get(customerId), event));
  }
}

/** Throws InvalidRequest if a preview would cover too many subscriptions for one response. */
export function requireWithinPreviewLimit(count: number): void {
  if (count > MAX_PREVIEWED)
    throw InvalidRequest.field(
      'customerIds',
      `must limit the preview to at most ${MAX_PREVIEWED} subscriptions, but it covers ${count}; the migration itself may move all of them`,
      'too_many_subscriptions',
    );
}
