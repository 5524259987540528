import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import {
  combineEntitlements,
  presentEntitlement,
  type ConsumptionRange,
  type Entitlement,
  type EntitlementSource,
} from '#libs/contexts/entitlements';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import { Decimal, sumOf, type DecimalString } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { UsageMeters } from '#libs/usage';
import { RememberedMetrics } from '../usage/remembered-metrics.js';
import { EntitlementSourcesReader, type EntitlingSubscription } from './entitlement-sources.js';

/** Finds the features that a customer may use by its subscriptions and grants, and measures the consumption of each feature. */
@Injectable()
export class CustomerEntitlements {
  constructor(
    private readonly clock: WorkspaceClock,
    private readonly settings: CurrentBillingSettings,
    private readonly catalog: Catalog,
    private readonly access: EntitlementSourcesReader,
    private readonly metrics: RememberedMetrics,
    private readonly meters: UsageMeters,
  ) {}

  /**
   * Returns the customer's entitlements: first the features of its subscriptions, oldest first, then the features that only grants give.
   * Throws NotFound if the customer was deleted or does not exist in the workspace.
   */
  async entitlementsOf(workspaceId: string, customerId: string): Promise<Entitlement[]> {
    const [now, { subscriptions, grants }] = await Promise.all([
      this.clock.now(workspaceId),
      this.access.entitlementSourcesOf(workspaceId, customerId),
    ]);
    const giving = await this.givingAccess(workspaceId, subscriptions);
    const ofPlans = await Promise.all(
      giving.map((subscription) => this.sourcesOf(workspaceId, subscription)),
    );
    const ofGrants = grants
      .filter(({ expiresAt }) => expiresAt === null || now < expiresAt)
      .map(({ featureId, limit }): EntitlementSource => ({
        featureId,
        limit,
        name: null,
        type: null,
        consumption: null,
        pricingModel: null,
      }));
    return combineEntitlements([...ofPlans.flat(), ...ofGrants]);
  }

  /** Returns the customer's entitlements and their consumption, in the form of the API response. Throws like {@link entitlementsOf}. */
  async presentAll(workspaceId: string, customerId: string) {
    const entitlements = await this.entitlementsOf(workspaceId, customerId);
    return {
      customerId,
      entitlements: await Promise.all(
        entitlements.map((one) => this.presentOne(workspaceId, customerId, one)),
      ),
    };
  }

  /** Returns one entitlement and its consumption, in the form of the API response. */
  async presentOne(workspaceId: string, customerId: string, entitlement: Entitlement) {
    const consumed = await this.measureConsumption(workspaceId, customerId, entitlement.consumption);
    return presentEntitlement(entitlement, consumed);
  }

  /**
   * Measures the consumption of a feature. Returns 0 if no metric measures the feature. The result includes every usage event that was
   * acknowledged before the call.
   */
  async measureConsumption(
    workspaceId: string,
    customerId: string,
    consumption: ConsumptionRange | null,
  ): Promise<DecimalString> {
    if (consumption === null) return '0';
    const { metricId, start, end } = consumption;
    const definition =
      (await this.metrics.definitionOf(workspaceId, metricId)) ??
      (await this.catalog.metricDefinition(workspaceId, metricId));
    const groups = await this.meters.measureCurrentQuantities({ definition, customerId, start, end });
    const quantities = groups.map(({ quantity }) => quantity);
    return definition.aggregation.type === 'max'
      ? Decimal.max(0, ...quantities).toFixed()
      : sumOf(quantities).toFixed();
  }

  /**
   * Returns the subscriptions whose features the customer may use. The workspace's settings are read only if a subscription is past due.
   */
  private async givingAccess(
    workspaceId: string,
    subscriptions: readonly EntitlingSubscription[],
  ): Promise<EntitlingSubscription[]> {
    const isPastDue = ({ status }: EntitlingSubscription): boolean => status === 'past_due';
    const entitledWhilePastDue =
      subscriptions.some(isPastDue) && (await this.settings.ofWorkspace(workspaceId)).entitledWhilePastDue;
    return subscriptions.filter(
      (one) =>
        one.status === 'trialing' || one.status === 'active' || (isPastDue(one) && entitledWhilePastDue),
    );
  }

  private async sourcesOf(
    workspaceId: string,
    subscription: EntitlingSubscription,
  ): Promise<EntitlementSource[]> {
    const { planId, planVersion, items, period, startedAt } = subscription;
    const { features } = await this.catalog.planVersion(workspaceId, planId, planVersion);
    return features.map(({ featureId, name, type, limit, metricId, resets }) => {
      const price = metricId && items.map((item) => item.price).find((one) => one.metricId === metricId);
      return {
        featureId,
        name,
        type,
        limit,
        consumption: metricId
          ? { metricId, start: resets === 'never' ? startedAt : period.start, end: period.end }
          : null,
        pricingModel: price ? price.config.model : null,
      };
    });
  }
}
