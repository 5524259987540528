import { ApiProperty } from '@nestjs/swagger';
import { FEATURE_TYPES } from '#libs/contexts/catalog';
import { SUBSCRIPTION_STATUSES } from '#libs/contexts/subscriptions';
import { CADENCES, CHARGE_TIMINGS, MONTHS_PER_PERIOD } from '#libs/rating';
import { BodyExample, BooleanField, IdField, ListView, PageQuery } from '../http/index.js';
import { MinimumCommitmentProperty, type MinimumCommitmentView } from '../plans/minimum-commitment.dto.js';
import { PriceConfigView } from '../prices/price-config.dto.js';
import { QuantitiesField } from '../subscriptions/subscription.dto.js';
import { PortalUpcomingView } from './portal-invoice.dto.js';

const PLAN_ID = 'plan_01JD0000000000000000000000';
const PRICE_ID = 'price_01JD0000000000000000000000';
const SUBSCRIPTION_ID = 'sub_01JD0000000000000000000000';
const WHICH = 'The id of the subscription. Required if the customer has several that have not ended.';

class PortalSubscribedPriceView {
  @ApiProperty({ example: PRICE_ID }) priceId: string;
  @ApiProperty({ example: 'Seats', description: 'The name of the price, which invoices print.' })
  name: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 10,
    description: 'The units of a fee. Null for usage.',
  })
  quantity: number | null;
}

/** A change of the plan that is scheduled, or that a switch to another plan replaced. */
export class PortalScheduledPlanChangeView {
  @ApiProperty({ example: 'amd_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: PLAN_ID, description: 'The id of the plan that the change brings.' })
  planId: string;
  @ApiProperty({ example: 'Growth', description: 'The name of the plan that the change brings.' })
  planName: string;
  @ApiProperty({ format: 'date-time', description: 'The time of the change.' }) effectiveAt: string;
  @ApiProperty({
    description:
      'Whether the change is for the end of the period. If true, `effectiveAt` moves with this end.',
    example: true,
  })
  atPeriodEnd: boolean;
}

export class PortalSubscriptionView {
  @ApiProperty({ example: SUBSCRIPTION_ID }) id: string;
  @ApiProperty({ example: PLAN_ID }) planId: string;
  @ApiProperty() planName: string;
  @ApiProperty({ enum: [...SUBSCRIPTION_STATUSES], example: 'active', description: 'The status.' })
  status: (typeof SUBSCRIPTION_STATUSES)[number];
  @ApiProperty({ example: 'USD', description: 'The currency of its invoices.' }) currency: string;
  @ApiProperty({
    enum: Object.keys(MONTHS_PER_PERIOD),
    example: 'monthly',
    description: 'The length of a billing period.',
  })
  billingInterval: keyof typeof MONTHS_PER_PERIOD;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The start of the present period or trial. Null before the start of the subscription and during a pause. An ended subscription ' +
      'keeps its last period.',
  })
  currentPeriodStart: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The first moment after the present period or trial. Null before the start of the subscription and during a pause. An ended ' +
      'subscription keeps its last period.',
  })
  currentPeriodEnd: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The end of the trial, also after the trial has ended. Null if there was never a trial.',
  })
  trialEnd: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The planned or actual end. Null if there is none.',
  })
  cancelAt: string | null;
  @ApiProperty({
    type: [PortalScheduledPlanChangeView],
    description: 'The changes of the plan that are scheduled. A switch to another plan replaces them.',
  })
  scheduledPlanChanges: PortalScheduledPlanChangeView[];
  @ApiProperty({
    type: [PortalSubscribedPriceView],
    description: 'The prices of the subscription, with their units.',
  })
  prices: PortalSubscribedPriceView[];
}

export class PortalSubscriptionList extends ListView {
  @ApiProperty({ type: [PortalSubscriptionView] }) data: PortalSubscriptionView[];
}

export class OfferedPriceView {
  @ApiProperty({ example: PRICE_ID }) priceId: string;
  @ApiProperty({ example: 'API units', description: 'The name of the price, which invoices print.' })
  name: string;
  @ApiProperty({ description: 'The pricing model and its settings.' }) config: PriceConfigView;
  @ApiProperty({ enum: [...CADENCES], description: 'How often the price is charged.' })
  cadence: (typeof CADENCES)[number];
  @ApiProperty({
    enum: [...CHARGE_TIMINGS],
    description: 'Whether the price is charged at the beginning or at the end of its period.',
  })
  timing: (typeof CHARGE_TIMINGS)[number];
  @ApiProperty({
    description: 'Whether the price is a fee per unit whose units `quantities` of a switch can name.',
    example: false,
  })
  hasUnits: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Tokens',
    description: 'The name of the metric whose usage is charged. Null for a fee.',
  })
  metricName: string | null;
}

class OfferedFeatureView {
  @ApiProperty({ example: 'seats' }) featureId: string;
  @ApiProperty({ example: 'Seats', description: 'The name of the feature.' }) name: string;
  @ApiProperty({ enum: [...FEATURE_TYPES], example: 'numeric', description: 'The type of the feature.' })
  type: (typeof FEATURE_TYPES)[number];
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 5,
    description: 'The limit of a numeric feature. Null if there is no limit.',
  })
  limit: number | null;
}

/** A plan to which the customer can switch, in its published version. */
export class PortalPlanView {
  @ApiProperty({ example: PLAN_ID }) id: string;
  @ApiProperty({ example: 'Growth', description: 'The name of the plan.' }) name: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'For growing teams',
    description: 'The description of the plan. Null if there is none.',
  })
  description: string | null;
  @ApiProperty({ example: 'USD', description: 'The currency of its prices.' }) currency: string;
  @ApiProperty({ type: [OfferedPriceView], description: 'The prices of the plan, in their newest versions.' })
  prices: OfferedPriceView[];
  @ApiProperty({ type: [OfferedFeatureView], description: 'The features that subscribers may use.' })
  features: OfferedFeatureView[];
  @MinimumCommitmentProperty()
  minimumCommitment: MinimumCommitmentView;
}

export class PortalPlanList extends ListView {
  @ApiProperty({ type: [PortalPlanView] }) data: PortalPlanView[];
}

export class PortalPlanQuery extends PageQuery {
  @IdField({ optional: true, description: WHICH, example: SUBSCRIPTION_ID })
  subscriptionId?: string;
}

export class PlanChangeQuery {
  @IdField({ description: 'The id of the new plan.', example: PLAN_ID })
  planId: string;

  @IdField({ optional: true, description: WHICH, example: SUBSCRIPTION_ID })
  subscriptionId?: string;
}

@BodyExample({ planId: PLAN_ID, quantities: [{ priceId: PRICE_ID, quantity: 5 }], preview: true })
export class PlanChangeBody {
  @IdField({ description: 'The id of the new plan.', example: PLAN_ID })
  planId: string;

  @IdField({ optional: true, description: WHICH, example: SUBSCRIPTION_ID })
  subscriptionId?: string;

  @QuantitiesField(
    'The units of the fees per unit of the new plan. A fee that is not listed has the units of the fee whose place it takes, or 1 unit. ' +
      'The units of each fee must be within the `quantityLimits` of the portal session, whether the fee is listed or not.',
  )
  quantities?: unknown;

  @BooleanField({
    optional: true,
    description:
      'If true, nothing changes, and the response only shows what the switch would do. Default false.',
  })
  preview?: boolean;
}

/** A switch to another plan, or the preview of a switch. The preview shows exactly what a switch at the same instant would return. */
export class PortalPlanChangeView {
  @ApiProperty({ description: 'The subscription after the switch.' }) subscription: PortalSubscriptionView;
  @ApiProperty({
    format: 'date-time',
    description: 'The time of the switch, for which the charges are computed.',
  })
  effectiveAt: string;
  @ApiProperty({
    type: [PortalScheduledPlanChangeView],
    description:
      'The scheduled changes of the plan that the switch replaces. They are canceled by the switch.',
  })
  replacedPlanChanges: PortalScheduledPlanChangeView[];
  @ApiProperty({
    type: PortalUpcomingView,
    nullable: true,
    description:
      'The invoice for the switch. Null if nothing is invoiced now, or if the invoice follows later.',
  })
  invoice: PortalUpcomingView | null;
}
