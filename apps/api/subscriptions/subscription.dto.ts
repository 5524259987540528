import { ApiProperty } from '@nestjs/swagger';
import { MAX_TRIAL_DAYS } from '#libs/contexts/catalog';
import { CADENCES, MONTHS_PER_PERIOD, CHARGE_TIMINGS, type Cadence, type ChargeTiming } from '#libs/rating';
import {
  CANCEL_CREDITS,
  MAX_PRICE_BYTES,
  PRICE_MAP_LIMIT,
  QUANTITY_LIMITS,
  SUBSCRIPTION_STATUSES,
  type CancelCredit,
  type SubscriptionStatus,
} from '#libs/contexts/subscriptions';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  decimalSchema,
  IdField,
  IdListField,
  InstantField,
  IntegerField,
  SingleLineField,
  ListView,
  MetadataField,
  InstantOrPeriodEndField,
  PageQuery,
  RuleField,
  TextField,
  TimezoneField,
} from '../http/index.js';
import { HistoryEntryView } from '../customers/customer.dto.js';
import { CreditsUsedView, DiscountView, TaxView } from '../invoices/invoice.dto.js';
import { InvoiceLineView } from '../invoices/invoice-line.dto.js';
import { BillingThresholdsField, BillingThresholdsView } from '../plans/billing-thresholds.dto.js';
import { MinimumCommitmentProperty, type MinimumCommitmentView } from '../plans/minimum-commitment.dto.js';
import { PriceConfigView } from '../prices/price-config.dto.js';

/** A sentence for the fields that bring prices to a subscription. */
export const PRICES_LIMIT = `The prices of a subscription may have at most ${MAX_PRICE_BYTES} bytes together, as JSON.`;

/** Declares the request field `quantities`, which has the number of units of fees. `readQuantities` reads its elements. */
export function QuantitiesField(description: string): PropertyDecorator {
  const properties = {
    priceId: {
      type: 'string',
      description: 'The id of the price.',
      example: 'price_01JD0000000000000000000000',
    },
    quantity: {
      ...decimalSchema({ min: 0, below: QUANTITY_LIMITS.quantityBelow }),
      description: 'The number of units.',
      example: 5,
    },
  };
  return RuleField(
    'isQuantityList',
    {
      type: 'array',
      maxItems: QUANTITY_LIMITS.priceCount,
      items: { type: 'object', required: ['priceId', 'quantity'], properties },
    },
    Array.isArray,
    { optional: true, message: 'must be a list of {"priceId": "…", "quantity": 5}', description },
  );
}

/** Declares the request field `priceMap`. `readPriceMap` reads its entries. */
export function PriceMapField(description: string): PropertyDecorator {
  return RuleField(
    'isPriceMap',
    {
      type: 'object',
      additionalProperties: { type: 'string', nullable: true },
      maxProperties: PRICE_MAP_LIMIT,
      example: { price_01JD0000000000000000000000: 'price_01JD0000000000000000000001' },
    },
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    {
      optional: true,
      message: 'must be an object like {"<id of the old price>": "<id of the new price>"}',
      description,
    },
  );
}

export class CreateSubscriptionBody {
  @IdField({ example: 'cust_northwind' })
  customerId: string;

  @IdField({
    description: `The id of the plan, not the name of the plan. ${PRICES_LIMIT}`,
    example: 'plan_01JD0000000000000000000000',
  })
  planId: string;

  @InstantField({
    optional: true,
    description:
      'The start of the subscription, at most 10 years before or after now. Default now. If the start is in the past, each period since ' +
      'the start is invoiced separately.',
  })
  startsAt?: string;

  @IntegerField({
    min: 0,
    max: MAX_TRIAL_DAYS,
    optional: true,
    description:
      "The number of free days before the first charged period. Usage on the free days is free too. Default: the plan's `trialDays`.",
  })
  trialDays?: number;

  @IntegerField({
    min: 1,
    max: 31,
    optional: true,
    description:
      "The day of the month on which periods begin, at midnight in the subscription's time zone. In a month without this day, periods " +
      'begin on the last day of the month. The first period ends on the first such day, so it can be shorter and is then charged in part. ' +
      'Default: periods begin on the day and at the time at which the charged time begins.',
    example: 1,
  })
  anchorDay?: number;

  @TimezoneField({
    optional: true,
    description: "The time zone in which billing periods begin and end. Default: the customer's `timezone`.",
  })
  timezone?: string;

  @BillingThresholdsField(
    "Default: the plan's `billingThresholds`. If null, there are none, even if the plan has thresholds.",
  )
  billingThresholds?: unknown;

  @SingleLineField({
    max: 255,
    optional: true,
    example: 'order-4711',
    description:
      'Your own id for the subscription, unique in the workspace even after the subscription has ended. A second use of the id is ' +
      'refused with `409 external_id_in_use`.',
  })
  externalId?: string;

  @MetadataField({ optional: true, description: 'Free key-value pairs.' })
  metadata?: Record<string, unknown>;

  @IdListField({
    max: 10,
    optional: true,
    example: [],
    description:
      'The coupons to apply to the subscription before its first invoice. List each coupon only once.',
  })
  coupons?: string[];

  @QuantitiesField(
    'The number of units of each fee that is charged per unit. Default: 1 unit of each fee. A price for licenses must not be listed, ' +
      'because its seats are counted from the active licenses.',
  )
  quantities?: unknown;
}

/** The details to change. A field that is left out keeps its value. */
@BodyExample({ metadata: { contract: 'C-17' }, externalId: 'order-4711' })
export class UpdateSubscriptionBody {
  @MetadataField({
    optional: true,
    nullable: true,
    description: 'The key-value pairs that replace all present ones. If null, there are none.',
  })
  metadata?: Record<string, unknown> | null;

  @SingleLineField({
    max: 255,
    optional: true,
    nullable: true,
    example: 'order-4711',
    description:
      'Your own id for the subscription, unique in the workspace. If null, it has none from now on. An id that a subscription had before ' +
      'is free again.',
  })
  externalId?: string | null;

  @BillingThresholdsField(
    'They apply at once, also to usage that is not invoiced yet. If null, there are none, even if the plan has thresholds.',
  )
  billingThresholds?: unknown;
}

export class PauseSubscriptionBody {
  @InstantOrPeriodEndField({
    optional: true,
    description: 'The time when the pause begins: an instant, or `period_end`. Default now.',
  })
  effectiveAt?: string;

  @InstantField({
    optional: true,
    description:
      'When the subscription resumes automatically. By default, the subscription stays paused until you resume it.',
  })
  resumesAt?: string;
}

export class ResumeSubscriptionBody {
  @InstantField({
    optional: true,
    description: 'When the subscription resumes. Default now. Leave it out to withdraw a planned pause.',
  })
  effectiveAt?: string;
}

@BodyExample({ immediately: true })
export class CancelSubscriptionBody {
  @BooleanField({
    optional: true,
    description:
      'Whether the subscription ends now instead of at the end of the current period. Default false. A subscription that is paused or ' +
      'has not started has no current period. Without `cancelAt`, such a subscription ends now in any case.',
    example: true,
  })
  immediately?: boolean;

  @InstantField({
    optional: true,
    description:
      'The time at which the subscription ends, instead of at the end of its period. The time is in the next 10 years. Not allowed with ' +
      '`immediately: true`.',
  })
  cancelAt?: string;

  @ChoiceField(CANCEL_CREDITS, {
    optional: true,
    description:
      'What happens to the unused part of prepaid fees. `balance` (the default): the last invoice gives it back. What exceeds the ' +
      "charges of that invoice first reduces the unpaid invoices that charged the fees. The rest goes to the customer's balance. " +
      '`refund`: this rest is refunded to the cards that paid. Only the part that was not paid in money goes to the balance. `none`: ' +
      'nothing is given back.',
  })
  credit?: CancelCredit;

  @BooleanField({
    optional: true,
    description:
      'Whether the last invoice bills the charges in arrears: usage, fees up to the end, and the shortfall to a minimum commitment. ' +
      '`false`: these charges and late usage are waived, and an invoice is made only if something is given back. Default true.',
    example: true,
  })
  finalInvoice?: boolean;
}

export class SubscriptionQuery extends PageQuery {
  @ChoiceField(SUBSCRIPTION_STATUSES, {
    optional: true,
    description: 'Selects subscriptions with this status.',
  })
  status?: SubscriptionStatus;

  @IdField({ optional: true, description: 'Selects subscriptions of this customer.' })
  customerId?: string;

  @TextField({ max: 255, optional: true, description: 'Selects the subscription with this `externalId`.' })
  externalId?: string;
}

/** A price of a subscription, in the version that the subscription keeps. */
export class SubscribedPriceView {
  @ApiProperty({ example: 'price_01JD0000000000000000000000' }) priceId: string;
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ description: 'The name of the price.', example: 'Platform fee' }) name: string;
  @ApiProperty() config: PriceConfigView;
  @ApiProperty({ enum: [...CADENCES] }) cadence: Cadence;
  @ApiProperty({ enum: [...CHARGE_TIMINGS] }) timing: ChargeTiming;
  @ApiProperty({ type: String, nullable: true }) metricId: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'The number of units of a fee, or the number of paid seats of a license price. Null for a metered price, because a metric ' +
      'measures its quantity.',
    example: 1,
  })
  quantity: number | null;
}

/** How a subscription ends. */
export class CancelOptionsView {
  @ApiProperty({
    enum: [...CANCEL_CREDITS],
    description: 'What happens to the unused part of prepaid fees.',
  })
  credit: CancelCredit;
  @ApiProperty({ description: 'Whether the last invoice bills the charges in arrears.', example: true })
  finalInvoice: boolean;
}

/** Declares a response field that is an instant or null. */
function MaybeInstant(description: string): PropertyDecorator {
  return ApiProperty({ type: String, format: 'date-time', nullable: true, description });
}

export class SubscriptionView {
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'plan_01JD0000000000000000000000' }) planId: string;
  @ApiProperty({ description: 'The version of the plan that the subscription keeps.', type: 'integer' })
  planVersion: number;
  @ApiProperty() planName: string;
  @MinimumCommitmentProperty()
  minimumCommitment: MinimumCommitmentView;
  @ApiProperty({
    type: BillingThresholdsView,
    nullable: true,
    description:
      'The thresholds at which usage is invoiced automatically before its period ends. Null if there are no thresholds.',
  })
  billingThresholds: BillingThresholdsView | null;
  @ApiProperty({
    enum: [...SUBSCRIPTION_STATUSES],
    description:
      '`pending`: the subscription starts in the future. `past_due`: the subscription is active, and one of its invoices is still owed ' +
      'after a charge failed.',
  })
  status: SubscriptionStatus;
  @ApiProperty({ example: 'USD', description: "The plan's currency, which invoices use." }) currency: string;
  @ApiProperty({ example: 'UTC', description: 'The time zone in which billing periods begin and end.' })
  timezone: string;
  @ApiProperty({
    enum: Object.keys(MONTHS_PER_PERIOD),
    description:
      "The length of a billing period, which is the shortest cadence of the subscription's prices. `monthly` if all prices are " +
      '`usage_based` or `one_time`.',
  })
  billingInterval: keyof typeof MONTHS_PER_PERIOD;
  @ApiProperty({ format: 'date-time', description: 'The instant from which all periods are counted.' })
  anchor: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The chosen day of the month on which periods begin. Null if no day was chosen.',
    example: null,
  })
  anchorDay: number | null;
  @ApiProperty({
    format: 'date-time',
    description: 'The start of the subscription, which may be in the future.',
  })
  startsAt: string;
  @MaybeInstant(
    'The time when the subscription started. Null if the subscription has not started, or was canceled before its start.',
  )
  startedAt: string | null;
  @MaybeInstant(
    'The end of the trial, also after the trial has ended. Null if the subscription never had a trial. If a trial is paused, its end ' +
      'moves when the subscription resumes.',
  )
  trialEnd: string | null;
  @MaybeInstant(
    'The start of the present period or trial. Null before the start and during a pause. A canceled subscription keeps its last period.',
  )
  currentPeriodStart: string | null;
  @MaybeInstant(
    'The first moment after the present period or trial. Null before the start and during a pause. If a subscription is canceled within ' +
      'its last period, the field keeps the regular end of that period. `canceledAt` is the real end.',
  )
  currentPeriodEnd: string | null;
  @MaybeInstant('The start of a planned pause. Null if none is planned.') pausesAt: string | null;
  @MaybeInstant(
    'The start of the present pause, or of the pause during which the subscription was canceled. Otherwise null.',
  )
  pausedAt: string | null;
  @MaybeInstant('The planned end of the pause. Null if none is planned.') resumesAt: string | null;
  @MaybeInstant(
    'The planned or actual end. Null if there is none. In a pause with `cancelAtPeriodEnd`, this is the period end before the pause, and ' +
      'the field moves when the subscription resumes.',
  )
  cancelAt: string | null;
  @ApiProperty({
    description:
      'Whether the subscription ends at the end of its present period, even if the end of the period moves. A paused subscription has ' +
      'no present period, so it ends with the first period after the pause. For a canceled subscription, whether it ended at the end of ' +
      'its period as planned.',
    example: false,
  })
  cancelAtPeriodEnd: boolean;
  @ApiProperty({
    type: CancelOptionsView,
    nullable: true,
    description:
      'How the subscription ends or ended. Null if no end is planned and the subscription has not ended.',
  })
  cancelOptions: CancelOptionsView | null;
  @MaybeInstant('The time when the subscription ended. Null if the subscription has not ended.') canceledAt:
    string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Your own id for the subscription, unique in the workspace.',
  })
  externalId: string | null;
  @ApiProperty({ type: Object }) metadata: Record<string, unknown>;
  @ApiProperty({ type: [SubscribedPriceView] }) prices: SubscribedPriceView[];
}

/** An event of a subscription, in the export of a customer's data. */
export class SubscriptionHistoryEntryView extends HistoryEntryView {
  @ApiProperty() subscriptionId: string;
}

export class SubscriptionList extends ListView {
  @ApiProperty({ type: [SubscriptionView] }) data: SubscriptionView[];
}

/** The next invoice, computed with the usage until now. */
export class UpcomingInvoiceView {
  @ApiProperty({
    example: 'sub_01JD0000000000000000000000',
    description: 'The id of the requested subscription. Each line has the id of its own subscription.',
  })
  subscriptionId: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: Number, example: 156.1, description: 'The sum of the lines.' }) subtotal: number;
  @ApiProperty({ type: [DiscountView] }) discounts: DiscountView[];
  @ApiProperty({ type: [TaxView] }) taxes: TaxView[];
  @ApiProperty({ type: Number, example: 156.1 }) total: number;
  @ApiProperty({
    description:
      'The amount by which the invoice gives back more than it charges. The amount first reduces the unpaid invoices that charged it. ' +
      "The rest goes to the customer's balance. With `credit: refund` of a cancellation, the rest is refunded to the cards that paid.",
  })
  balanceCredited: number;
  @ApiProperty({
    description:
      "The part that the customer's present balance pays. Below zero, it is what the invoice collects of earlier invoices.",
  })
  balanceApplied: number;
  @ApiProperty() amountDue: number;
  @ApiProperty({ type: [InvoiceLineView] }) lines: InvoiceLineView[];
  @ApiProperty({
    type: [CreditsUsedView],
    description:
      'The prepaid credits that usage has cost until now. Prepaid credits are already paid, so they have no amount and are in no total.',
  })
  creditsUsed: CreditsUsedView[];
  @ApiProperty({
    format: 'date-time',
    description:
      'The start of the billed period. An invoice at the end of a period has the period that ends, even if it bills fees in advance.',
  })
  periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'The first moment after the billed period.' })
  periodEnd: string;
  @ApiProperty({ format: 'date-time', description: 'The time when the invoice will be issued.' })
  billedAt: string;
}
