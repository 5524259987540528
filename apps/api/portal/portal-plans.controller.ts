import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AmendmentPreviewer,
  AmendSubscription,
  type AmendmentRequest,
  type AmendmentResult,
} from '#libs/contexts/billing';
import { Catalog, currentPriceVersion, metricNameIn, type Plan } from '#libs/contexts/catalog';
import type { PortalPrincipal } from '#libs/contexts/identity';
import { isPlanAmendment, type Subscription } from '#libs/contexts/subscriptions';
import { Forbidden, type Language } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { newId } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CustomerQueries } from '#projections/customers';
import { MetricQueries } from '#projections/metrics';
import { PlanQueries } from '#projections/plans';
import { PriceQueries } from '#projections/prices';
import { CurrentCustomer, PortalOnly } from '../http/auth/index.js';
import { Context, readPage } from '../http/index.js';
import { PortalLanguageFinder } from './portal-language.js';
import {
  askForQuantities,
  publishedPlanVersion,
  requireAllowedQuantities,
  requireOfferedPlan,
  requireUnitsWithinLimits,
} from './plan-offers.js';
import {
  PlanChangeBody,
  PlanChangeQuery,
  PortalPlanChangeView,
  PortalPlanList,
  PortalPlanQuery,
  PortalPlanView,
} from './portal-plan.dto.js';
import { PortalSubscriptionFinder } from './portal-subscription-finder.js';
import {
  presentOfferedPlan,
  presentPortalPlanChange,
  presentPortalSubscription,
  presentPortalUpcoming,
} from './present.js';
import { hideSqlInErrors } from './sql-failures.js';

/** Lists the plans to which a customer can switch, previews a switch, and carries out a switch. */
@ApiTags('Customer portal')
@PortalOnly()
@Controller('v1/portal')
export class PortalPlansController {
  constructor(
    private readonly languages: PortalLanguageFinder,
    private readonly commands: CommandBus,
    private readonly subscriptions: PortalSubscriptionFinder,
    private readonly amendments: AmendmentPreviewer,
    private readonly catalog: Catalog,
    private readonly customers: CustomerQueries,
    private readonly plans: PlanQueries,
    private readonly prices: PriceQueries,
    private readonly metrics: MetricQueries,
    private readonly clock: WorkspaceClock,
  ) {}

  @Get('plans')
  @ApiOperation({
    summary: 'List the published plans to which the customer can switch, oldest first',
    description:
      'The list has the public plans in the currency of the subscription, without the present plan. A customer without a subscription ' +
      'sees the public plans in its own currency. Every portal session may read this list, but only a session with `allowPlanChanges` ' +
      'may switch.',
  })
  @ApiOkResponse({ type: PortalPlanList })
  async list(
    @CurrentCustomer() customer: PortalPrincipal,
    @Query() { subscriptionId, ...page }: PortalPlanQuery,
  ): Promise<PortalPlanList> {
    const { workspaceId } = customer;
    const subscription = await this.subscriptions.find(customer, subscriptionId);
    const offeredIn = subscription?.currency ?? (await this.currencyOf(customer));
    const { data, ...more } = await readPage(
      page,
      this.plans.listOrder,
      (part) =>
        this.plans.list(workspaceId, part, {
          offeredInCurrency: offeredIn,
          exceptPlanId: subscription?.planId,
        }),
      ({ shown }) => shown,
    );
    return { data: await this.present(customer, data), ...more };
  }

  @Get('plan-change/preview')
  @ApiOperation({
    summary: 'Preview an immediate switch to another plan; nothing is changed',
    description:
      'A switch at the instant of the preview would have the same result. A later switch can have another result, because the rest of ' +
      'the period is shorter, and there may be more usage.',
  })
  @ApiOkResponse({ type: PortalPlanChangeView })
  async preview(
    @CurrentCustomer() customer: PortalPrincipal,
    @Query() { planId, subscriptionId }: PlanChangeQuery,
  ): Promise<PortalPlanChangeView> {
    return this.previewSwitch(customer, { planId, subscriptionId, quantities: undefined });
  }

  @Post('plan-change')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Switch to another plan now; needs `allowPlanChanges`',
    description:
      'For the rest of the period, prepaid fees of the old plan are given back, and the fees of the new plan are charged. Usage is ' +
      'invoiced up to now for the prices that the new plan does not have in the same version. If the new plan has another billing ' +
      'interval, all usage is invoiced up to now, and a new period starts. In a trial nothing is charged. The switch replaces the changes ' +
      'of the plan that are scheduled (`scheduledPlanChanges` of the subscription).',
  })
  @ApiOkResponse({ type: PortalPlanChangeView })
  async change(
    @Context() context: CommandContext,
    @CurrentCustomer() customer: PortalPrincipal,
    @Body() { preview = false, ...request }: PlanChangeBody,
  ): Promise<PortalPlanChangeView> {
    if (preview) return this.previewSwitch(customer, request);
    if (!customer.allowPlanChanges)
      throw new Forbidden('plan_changes_not_allowed', 'This portal session does not allow a change of plan');
    const { subscription, plan } = await this.subscriptionToSwitch(customer, request);
    // The units that a fee gets by itself are known only from the result.
    if (customer.quantityLimits) await this.resultOf(customer, subscription, plan, request);
    const command = new AmendSubscription(context, subscription.subscriptionId, switchTo(request));
    const change = askForQuantities(this.commands.execute(command), customer.quantityLimits);
    return presentChange(await hideSqlInErrors(change), await this.languages.find(customer));
  }

  private async previewSwitch(
    customer: PortalPrincipal,
    request: RequestedSwitch,
  ): Promise<PortalPlanChangeView> {
    const { subscription, plan } = await this.subscriptionToSwitch(customer, request);
    const result = await this.resultOf(customer, subscription, plan, request);
    return presentChange(result, await this.languages.find(customer));
  }

  /** Returns the result that the switch would have. Throws InvalidRequest if a fee would have units that the session does not allow. */
  private async resultOf(
    { workspaceId, quantityLimits }: PortalPrincipal,
    { subscriptionId }: Subscription,
    plan: Plan,
    request: RequestedSwitch,
  ): Promise<AmendmentResult> {
    const at = { workspaceId, now: await this.clock.now(workspaceId) };
    const preview = this.amendments.preview(at, subscriptionId, newId('amd'), switchTo(request));
    const result = await hideSqlInErrors(askForQuantities(preview, quantityLimits));
    requireUnitsWithinLimits(result.subscription, quantityLimits, publishedPlanVersion(plan));
    return result;
  }

  /**
   * Returns the subscription that would switch to the plan, and the plan. Throws an error if the customer has no subscription, or if the plan
   * is not offered for the subscription, or if the portal session does not allow the units.
   */
  private async subscriptionToSwitch(
    customer: PortalPrincipal,
    { planId, subscriptionId, quantities }: RequestedSwitch,
  ): Promise<{ subscription: Subscription; plan: Plan }> {
    const subscription = await this.subscriptions.require(customer, subscriptionId);
    const plan = await this.catalog.requirePlan(customer.workspaceId, planId);
    requireOfferedPlan(plan, subscription);
    requireAllowedQuantities(quantities, customer.quantityLimits, publishedPlanVersion(plan));
    return { subscription, plan };
  }

  private async currencyOf({ workspaceId, customerId }: PortalPrincipal): Promise<string> {
    return (await this.customers.get(workspaceId, customerId)).state.currency;
  }

  private async present(customer: PortalPrincipal, plans: readonly Plan[]): Promise<PortalPlanView[]> {
    const { workspaceId } = customer;
    const language = await this.languages.find(customer);
    const priceIds = new Set(plans.flatMap((plan) => publishedPlanVersion(plan).prices));
    const prices = await this.prices.findByIds(workspaceId, [...priceIds]);
    const metricIds = new Set(prices.flatMap((price) => currentPriceVersion(price).metricId ?? []));
    const metrics = await this.metrics.findByIds(workspaceId, [...metricIds]);
    const pricesById = new Map(prices.map((price) => [price.priceId, price]));
    const names = new Map(metrics.map((metric) => [metric.metricId, metricNameIn(metric, language)]));
    return plans.map((plan) => presentOfferedPlan(plan, pricesById, names, language));
  }
}

/** The switch that a customer requests. */
type RequestedSwitch = Pick<PlanChangeBody, 'planId' | 'subscriptionId' | 'quantities'>;

/**
 * Describes an immediate switch to a plan as an amendment of the subscription. The preview and the switch itself use the same description.
 */
function switchTo({ planId, quantities }: RequestedSwitch): AmendmentRequest {
  return {
    kind: 'amend',
    terms: { planId, quantities },
    prorate: true,
    effectiveAt: null,
    replacesPlanChanges: true,
  };
}

function presentChange(
  { amendment, subscription, invoice }: AmendmentResult,
  language: Language,
): PortalPlanChangeView {
  const replaced = subscription.amendments.filter(({ replacedBy }) => replacedBy === amendment.amendmentId);
  return {
    subscription: presentPortalSubscription(subscription, language),
    effectiveAt: amendment.effectiveAt,
    replacedPlanChanges: replaced
      .filter(isPlanAmendment)
      .map((one) => presentPortalPlanChange(one, language)),
    invoice: invoice && presentPortalUpcoming(invoice, language),
  };
}
