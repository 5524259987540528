import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  CreateMetric,
  CreatePlan,
  CreatePrice,
  planVersion,
  presentMetric,
  presentPlanVersion,
  presentPrice,
  type Metric,
  type Plan,
  type Price,
} from '#libs/contexts/catalog';
import { CreateCoupon, type Coupon } from '#libs/contexts/coupons';
import {
  ChangeCreditType,
  CreateCreditType,
  rateInForceAt,
  ratesOf,
  type AddedRate,
  type CreditType,
} from '#libs/contexts/credits';
import { CreateTaxRate, type TaxRateRecord } from '#libs/contexts/taxes';
import { parseJson, type Instant, storedTranslations } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { CatalogCopy, type CatalogCopyResult } from './catalog-copy.js';

/** The catalog of a sandbox, without deleted resources. */
export interface SandboxCatalog {
  readonly taxRates: readonly TaxRateRecord[];
  readonly metrics: readonly Metric[];
  readonly prices: readonly Price[];
  readonly plans: readonly Plan[];
  readonly coupons: readonly Coupon[];
  readonly creditTypes: readonly CreditType[];
}

/** Copies the catalog of a sandbox to its live workspace, with the commands that API requests use to create a catalog. */
@Injectable()
export class CatalogCopier {
  constructor(private readonly commands: CommandBus) {}

  /**
   * Copies only usable resources: active coupons, tax rates that are not archived, and the credit rates in force. Also copies the published
   * version of each plan, and the newest version of each price and metric. Resources that cannot be copied are skipped, and the result
   * contains the reason. A repeated copy continues where the earlier copy ended, and copies nothing twice.
   *
   * @param live the context of the live workspace
   * @param sandboxNow the time of the sandbox, which decides which credit rates are in force
   */
  async copy(live: CommandContext, catalog: SandboxCatalog, sandboxNow: Instant): Promise<CatalogCopyResult> {
    const copy = new CatalogCopy(live);
    for (const rate of catalog.taxRates) if (!rate.archived) await this.copyTaxRate(copy, rate);
    for (const metric of catalog.metrics) await this.copyMetric(copy, metric);
    for (const price of catalog.prices) await this.copyPrice(copy, price);
    for (const plan of catalog.plans) await this.copyPlan(copy, plan);
    for (const coupon of catalog.coupons) if (coupon.active) await this.copyCoupon(copy, coupon);
    for (const creditType of catalog.creditTypes) await this.copyCreditType(copy, creditType, sandboxNow);
    return copy.result;
  }

  private async copyTaxRate(copy: CatalogCopy, rate: TaxRateRecord): Promise<void> {
    const { taxRateId, name, percentage, inclusive, description } = rate;
    await copy.copyResource('tax_rate', taxRateId, async (context) => {
      const details = { name, percentage, inclusive, description };
      return (await this.commands.execute(new CreateTaxRate(context, details))).taxRateId;
    });
  }

  private async copyMetric(copy: CatalogCopy, metric: Metric): Promise<void> {
    const shown = asRequest(presentMetric(metric));
    const { name, nameTranslations, description, eventName, aggregation, sql } = shown;
    await copy.copyResource('metric', metric.metricId, async (context) => {
      const input = { name, nameTranslations, description, eventName, aggregation, sql };
      return (await this.commands.execute(new CreateMetric(context, input))).metricId;
    });
  }

  private async copyPrice(copy: CatalogCopy, price: Price): Promise<void> {
    const shown = asRequest(presentPrice(price));
    const { name, nameTranslations, description, config, cadence, timing } = shown;
    const { licenseTypeId, metricId, taxRateIds } = shown;
    await copy.copyResource('price', price.priceId, async (context) => {
      const input = {
        name,
        nameTranslations,
        description,
        config,
        cadence,
        timing,
        licenseTypeId,
        metricId: metricId === null ? null : copy.liveIdOf('metric', metricId),
        taxRateIds: taxRateIds && taxRateIds.map((id) => copy.liveIdOf('tax_rate', id)),
      };
      return (await this.commands.execute(new CreatePrice(context, input))).priceId;
    });
  }

  private async copyPlan(copy: CatalogCopy, plan: Plan): Promise<void> {
    const shown = asRequest(presentPlanVersion(plan, planVersion(plan, plan.publishedVersion)));
    const { name, nameTranslations, description, prices, features, trialDays, visibility } = shown;
    const { minimumCommitment, billingThresholds } = shown;
    await copy.copyResource('plan', plan.planId, async (context) => {
      const input = {
        name,
        nameTranslations,
        description,
        trialDays,
        visibility,
        minimumCommitment,
        billingThresholds,
        prices: prices.map(({ priceId }) => copy.liveIdOf('price', priceId)),
        features: features.map(({ metricId, ...feature }) => ({
          ...feature,
          metricId: metricId === null ? null : copy.liveIdOf('metric', metricId),
        })),
      };
      return (await this.commands.execute(new CreatePlan(context, input))).planId;
    });
  }

  private async copyCoupon(copy: CatalogCopy, coupon: Coupon): Promise<void> {
    const { couponId, name, nameTranslations, discount, duration } = coupon;
    const { maxRedemptions, expiresAt, planIds, priceIds } = coupon;
    await copy.copyResource('coupon', couponId, async (context) => {
      const details = {
        name,
        discount,
        duration,
        maxRedemptions,
        expiresAt,
        ...storedTranslations(nameTranslations),
        planIds: planIds && planIds.map((id) => copy.liveIdOf('plan', id)),
        priceIds: priceIds && priceIds.map((id) => copy.liveIdOf('price', id)),
      };
      return (await this.commands.execute(new CreateCoupon(context, details, couponId))).couponId;
    });
  }

  private async copyCreditType(
    copy: CatalogCopy,
    creditType: CreditType,
    sandboxNow: Instant,
  ): Promise<void> {
    const {
      creditType: type,
      name,
      nameTranslations,
      unitPrice,
      currency,
      overage,
      overagePrice,
      expiresAfterDays,
      onPurchaseReturned,
    } = creditType;
    await copy.copyResource('credit_type', type, async (context) => {
      const terms = {
        name,
        unitPrice,
        currency,
        overage,
        overagePrice,
        expiresAfterDays,
        ...storedTranslations(nameTranslations),
      };
      const details = onPurchaseReturned === undefined ? terms : { ...terms, onPurchaseReturned };
      return (await this.commands.execute(new CreateCreditType(context, type, details))).creditType;
    });
    for (const rate of creditType.rates) await this.copyCreditRate(copy, creditType, rate, sandboxNow);

    for (const { createdAt: _, ...allowance } of creditType.allowances)
      await copy.copyResource('credit_allowance', allowance.allowanceId, async (context) => {
        const allowanceId = idFor(context, 'alw');
        const change = {
          type: 'AddCreditAllowance',
          creditType: copy.liveIdOf('credit_type', type),
        } as const;
        const added = { ...allowance, allowanceId, planId: copy.liveIdOf('plan', allowance.planId) };
        await this.commands.execute(new ChangeCreditType(context, { ...change, allowance: added }));
        return allowanceId;
      });
  }

  /**
   * Copies a credit rate that is in force. The copied rate begins at once, because usage before the workspace's current time cannot be
   * charged any more.
   */
  private async copyCreditRate(
    copy: CatalogCopy,
    type: CreditType,
    { createdAt: _, ...rate }: AddedRate,
    sandboxNow: Instant,
  ): Promise<void> {
    if (rate.effectiveAt > sandboxNow)
      return copy.skip(
        'credit_rate',
        rate.rateId,
        `It begins at ${rate.effectiveAt} by the clock of the sandbox; add it in the live workspace`,
      );
    if (rateInForceAt(ratesOf(type, rate.metricId), sandboxNow)?.rateId !== rate.rateId) return;
    await copy.copyResource('credit_rate', rate.rateId, async (context) => {
      const rateId = idFor(context, 'rate');
      const metricId = copy.liveIdOf('metric', rate.metricId);
      const creditType = copy.liveIdOf('credit_type', type.creditType);
      const added = { ...rate, rateId, metricId, effectiveAt: context.now };
      await this.commands.execute(
        new ChangeCreditType(context, { type: 'AddCreditRate', creditType, rate: added }),
      );
      return rateId;
    });
  }
}

/** Converts a resource to the form of a parsed request body, in which numbers keep their exact digits. */
function asRequest<Shown extends object>(shown: Shown): Shown {
  return parseJson(JSON.stringify(shown)) as Shown;
}
