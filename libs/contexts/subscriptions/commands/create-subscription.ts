import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Catalog, readBillingThresholds } from '#libs/contexts/catalog';
import { Conflict, InvalidRequest, requireWholeMinorUnits, type Instant } from '#libs/kernel/core';
import { ApplyCoupon, Coupons, type CouponTarget, type CustomerCoupon } from '#libs/contexts/coupons';
import { CreditTypeReferences } from '#libs/contexts/credits';
import { Customers } from '#libs/contexts/customers';
import { Licenses } from '#libs/contexts/licenses';
import {
  AggregateStore,
  followUpContext,
  idFor,
  StreamClosed,
  type CommandContext,
} from '#libs/kernel/event-store';
import { aggregateId, erasedValue } from '#libs/kernel/domain';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { subscriptionDecider } from '../decider.js';
import { readQuantities } from '../quantities.js';
import { hasLicensePrice } from '../seats.js';
import { externalIdInUse } from '../external-ids/external-id.js';
import {
  ExternalIds,
  MAX_SUBSCRIPTIONS_PER_EXTERNAL_ID,
  subscriptionIdFor,
} from '../external-ids/external-ids.js';
import type { Subscription } from '../subscription.js';

/**
 * The data of a new subscription. If `trialDays` or `billingThresholds` is omitted, the value of the plan applies. If `timezone` is
 * omitted, the customer's time zone applies. `startsAt` defaults to now.
 */
export interface NewSubscription {
  customerId: string;
  planId: string;
  startsAt?: Instant | undefined;
  trialDays?: number | undefined;
  /** The integrator's own id for the subscription, unique in the workspace. */
  externalId?: string | undefined;
  /** Day of the month, 1 to 31. */
  anchorDay?: number | undefined;
  timezone?: string | undefined;
  /**
   * The billing thresholds that replace the plan's, in the form that {@link readBillingThresholds} accepts. If null, the subscription has
   * no billing thresholds.
   */
  billingThresholds?: unknown;
  metadata?: Record<string, unknown> | undefined;
  /** The units of fees, in the form that {@link readQuantities} accepts. */
  quantities?: unknown;
  /** The ids of coupons to apply before the first invoice. */
  coupons?: string[] | undefined;
}

/** The maximum number of years between now and a subscription's start, because each period since the start becomes an invoice. */
const MAX_YEARS = 10;

/** Subscribes a customer to the published version of a plan. */
export class CreateSubscription extends Command<Subscription> {
  constructor(
    readonly context: CommandContext,
    readonly subscription: NewSubscription,
  ) {
    super();
  }
}

@CommandHandler(CreateSubscription)
export class CreateSubscriptionHandler implements ICommandHandler<CreateSubscription> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
    private readonly catalog: Catalog,
    private readonly clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly coupons: Coupons,
    private readonly licenses: Licenses,
    private readonly references: CreditTypeReferences,
    private readonly externalIds: ExternalIds,
  ) {}

  /**
   * Creates the subscription. The invoices of a subscription are in the plan's currency, even if the customer's default currency is
   * another. Throws NotFound if the customer, the plan or a coupon is not in the workspace, or if the customer or the plan is deleted.
   * Throws InvalidRequest for invalid fields, and for a plan that charges for a metric whose units cost credits (`metric_costs_credits`).
   * Throws InvalidRequest if a coupon cannot be applied. Throws Conflict (`external_id_in_use`) if another subscription has the same
   * external id. After each of these errors, there is no new subscription and no coupon stays applied. After any other error, such as a
   * failure of the event store, the subscription may exist and coupons may stay applied.
   */
  async execute({ context, subscription }: CreateSubscription): Promise<Subscription> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.attempt(attempt, context, subscription);
      } catch (error) {
        const isNextTried = error instanceof StreamClosed || error instanceof CreatedWithExternalId;
        if (!isNextTried) throw error;
        if (attempt + 1 === MAX_SUBSCRIPTIONS_PER_EXTERNAL_ID)
          throw error instanceof CreatedWithExternalId ? externalIdInUse(error.subscriptionId) : error;
      }
    }
  }

  /**
   * Tries to create the subscription. Each attempt uses another subscription id. Throws StreamClosed if the customer was deleted before the
   * subscription was created. Throws CreatedWithExternalId if the id belongs to a subscription that has another external id now.
   */
  private async attempt(
    attempt: number,
    request: CommandContext,
    subscription: NewSubscription,
  ): Promise<Subscription> {
    const context = attempt === 0 ? request : followUpContext(request, `subscribe again ${attempt}`);
    const { workspaceId } = context;
    const ownId = idFor(context, 'sub');
    const { externalId } = subscription;
    const subscriptionId =
      externalId === undefined ? ownId : subscriptionIdFor(workspaceId, externalId, attempt);
    const id = aggregateId(workspaceId, subscriptionId);
    const repeated = await this.aggregates.findRepeated(subscriptionDecider, id, context);
    if (repeated) return repeated;
    const quantities = readQuantities(subscription.quantities ?? []);
    const { billingThresholds: own } = subscription;
    const billingThresholds = own === undefined ? undefined : readBillingThresholds(own);
    const { customerId, planId, anchorDay = null, metadata = {}, coupons = [] } = subscription;
    if (new Set(coupons).size < coupons.length)
      throw InvalidRequest.field('coupons', 'must not name a coupon twice');
    const customer = await this.customers.require(workspaceId, customerId);
    const { name: planName, trialDays, ...plan } = await this.catalog.resolvePlan(workspaceId, planId);
    await this.references.requireMetricsWithoutRates(workspaceId, plan.prices, 'planId');
    if (billingThresholds)
      requireWholeMinorUnits('billingThresholds.amountGte', billingThresholds.amountGte, plan.currency);
    await this.clock.markInUse(workspaceId);
    // Read the clock only now. Before the clock was marked as in use, a sandbox's clock could still be set back.
    const at = await this.clock.now(workspaceId);
    const { startsAt = at, timezone = customer.timezone } = subscription;
    requireWithinReach(startsAt, at);
    const licenses = hasLicensePrice(plan.prices)
      ? await this.licenses.countsOf(workspaceId, customerId)
      : undefined;
    const command = {
      type: 'CreateSubscription',
      subscriptionId,
      customerId,
      plan: { ...plan, planName },
      timezone,
      startsAt,
      trialDays: subscription.trialDays ?? trialDays,
      quantities,
      licenses,
      anchorDay,
      billingThresholds,
      metadata,
      ...(externalId === undefined ? {} : { externalId, createdBy: ownId }),
      at,
    } as const;
    // Refuse an invalid command before a coupon is redeemed for it.
    const made = externalId === undefined ? undefined : await this.aggregates.load(subscriptionDecider, id);
    if (made && made.createdBy !== ownId && hasOtherExternalId(made, externalId))
      throw new CreatedWithExternalId(subscriptionId);
    subscriptionDecider.decide(command, made);
    if (made) return made;
    const creating = { ...context, now: at };
    await this.customers.recordReference(creating, customerId, subscriptionId);
    const target = { customerId, subscription: { subscriptionId, planId } };
    return this.withCoupons(creating, coupons, target, async () => {
      if (externalId !== undefined) await this.externalIds.takeForCreation(creating, externalId, attempt);
      const { state } = await this.aggregates.execute(subscriptionDecider, id, creating, command);
      return state;
    });
  }

  /** Applies all coupons, then calls `create`. If a coupon or `create` is refused, removes the coupons that were already applied. */
  private async withCoupons(
    context: CommandContext,
    couponIds: readonly string[],
    target: CouponTarget,
    create: () => Promise<Subscription>,
  ): Promise<Subscription> {
    const applied: CustomerCoupon[] = [];
    const takeBack = async (): Promise<void> => {
      for (const coupon of applied) await this.coupons.undoApplication(context, target.customerId, coupon);
    };
    try {
      for (const couponId of couponIds)
        applied.push(await this.commands.execute(new ApplyCoupon(context, couponId, target)));
    } catch (error) {
      await takeBack();
      throw error;
    }
    return create().catch(async (error: unknown) => {
      // After any other error, the subscription may have been created.
      if (error instanceof Conflict) await takeBack();
      throw error;
    });
  }
}

/** A subscription was created with the external id, and has another one now. The external id is free for another subscription. */
class CreatedWithExternalId extends Error {
  constructor(readonly subscriptionId: string) {
    super(`The subscription ${subscriptionId} has another external id now`);
  }
}

/** Tells whether a subscription has lost the external id that it was created with. An erased external id stays taken. */
function hasOtherExternalId(
  { externalId }: Pick<Subscription, 'externalId'>,
  created: string | undefined,
): boolean {
  return externalId !== created && externalId !== erasedValue(created);
}

function requireWithinReach(startsAt: Instant, now: Instant): void {
  if (Math.abs(Date.parse(startsAt) - Date.parse(now)) > MAX_YEARS * 366 * 86_400_000)
    throw InvalidRequest.field('startsAt', `must be within ${MAX_YEARS} years of now, which is ${now}`);
}
