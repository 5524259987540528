import { ApiProperty } from '@nestjs/swagger';
import { MAX_TRIAL_DAYS } from '#libs/contexts/catalog';
import { CADENCES, MONTHS, TIMINGS, type Cadence, type Timing } from '#libs/rating';
import {
  CANCEL_CREDITS,
  QUANTITY_LIMITS,
  SUBSCRIPTION_STATUSES,
  type CancelCredit,
  type SubscriptionStatus,
} from '#libs/contexts/subscriptions';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  decimal,
  IdField,
  IdListField,
  InstantField,
  IntegerField,
  LineField,
  ListView,
  MetadataField,
  MomentField,
  PageQuery,
  RuleField,
  TextField,
  TimezoneField,
} from '../http/index.js';
import { DiscountView, TaxView } from '../invoices/invoice.dto.js';
import { InvoiceLineView } from '../invoices/invoice-line.dto.js';
import { BillingThresholdsField, BillingThresholdsView } from '../plans/billing-thresholds.dto.js';
import { MinimumCommitmentProperty, type MinimumCommitmentView } from '../plans/minimum-commitment.dto.js';
import { PriceConfigView } from '../prices/price-config.dto.js';

/** Units of fees; `readQuantities` reads the elements. */
export function QuantitiesField(description: string): PropertyDecorator {
  const properties = {
    priceId: {
      type: 'string',
      description: 'The id of the price.',
      example: 'price_01JD0000000000000000000000',
    },
    quantity: {
      ...decimal({ min: 0, below: QUANTITY_LIMITS.below }),
      description: 'How many units.',
      example: 5,
    },
  };
  return RuleField(
    'isQuantityList',
    {
      type: 'array',
      maxItems: QUANTITY_LIMITS.prices,
      items: { type: 'object', required: ['priceId', 'quantity'], properties },
    },
    Array.isArray,
    { optional: true, message: 'must be a list of {"priceId": "…", "quantity": 5}', description },
  );
}

export class CreateSubscriptionBody {
  @IdField({ example: 'cust_northwind' })
  customerId: string;

  @IdField({ description: "The plan's id, not its name.", example: 'plan_01JD0000000000000000000000' })
  planId: string;

  @InstantField({
    optional: true,
    description: 'Default now. In the past, the periods since then are invoiced one by one; within 10 years.',
  })
  startsAt?: string;

  @IntegerField({
    min: 0,
    max: MAX_TRIAL_DAYS,
    optional: true,
    description:
      "Days that are free, with the usage in them, before the first period that is charged. Default the plan's.",
  })
  trialDays?: number;

  @IntegerField({
    min: 1,
    max: 31,
    optional: true,
    description:
      'Day of the month that periods begin on, at local midnight; the last of a shorter month. The first period is then charged ' +
      'in part. Default: where the charged time begins.',
    example: 1,
  })
  anchorDay?: number;

  @TimezoneField({
    optional: true,
    description: "Whose local calendar cuts the periods. Default the customer's.",
  })
  timezone?: string;

  @BillingThresholdsField("Default the plan's; null for none, whatever the plan has.")
  billingThresholds?: unknown;

  @LineField({
    max: 255,
    optional: true,
    example: 'order-4711',
    description:
      'Your own id of it, unique in the workspace, also after it has ended: a second use is refused with `409 external_id_in_use`.',
  })
  externalId?: string;

  @MetadataField({ optional: true, description: 'Free key-value pairs.' })
  metadata?: Record<string, unknown>;

  @IdListField({
    max: 10,
    optional: true,
    example: [],
    description: 'Coupons that are applied to it, before its first invoice; each once.',
  })
  coupons?: string[];

  @QuantitiesField('Units of fees, such as seats. Default one of each.')
  quantities?: unknown;
}

export class PauseSubscriptionBody {
  @MomentField({
    optional: true,
    description: 'When it is paused: an instant, or `period_end`. Default now.',
  })
  effectiveAt?: string;

  @InstantField({ optional: true, description: 'When it goes on by itself. Default: when it is resumed.' })
  resumesAt?: string;
}

export class ResumeSubscriptionBody {
  @InstantField({ optional: true, description: 'When it goes on. Default now.' })
  effectiveAt?: string;
}

@BodyExample({ immediately: true })
export class CancelSubscriptionBody {
  @BooleanField({
    optional: true,
    description: 'Now, rather than at the end of the current period. Default false.',
    example: true,
  })
  immediately?: boolean;

  @InstantField({
    optional: true,
    description: 'The date that it ends at, in place of the end of its period.',
  })
  cancelAt?: string;

  @ChoiceField(CANCEL_CREDITS, {
    optional: true,
    description:
      'What becomes of the unused part of fees that were paid in advance. `balance`: the last invoice gives it back; what exceeds that invoice ' +
      "and unpaid ones goes to the customer's balance. `refund`: that is refunded to the cards that paid, and only what was not paid in money goes " +
      'to the balance. `none`: nothing is given back. Default `balance`.',
  })
  credit?: CancelCredit;

  @BooleanField({
    optional: true,
    description:
      'Whether the last invoice charges what is in arrears: usage, fees in arrears up to the end, and what is missing to a minimum commitment. ' +
      '`false`: that is waived, with what came late; an invoice is made only if something is given back. Default true.',
    example: true,
  })
  finalInvoice?: boolean;
}

export class SubscriptionQuery extends PageQuery {
  @ChoiceField(SUBSCRIPTION_STATUSES, { optional: true, description: 'Only those with this status.' })
  status?: SubscriptionStatus;

  @IdField({ optional: true, description: 'Only those of this customer.' })
  customer_id?: string;

  @TextField({ max: 255, optional: true, description: 'Only the one with this `externalId`.' })
  externalId?: string;
}

/** A price in the version that the subscription stays on. */
export class SubscribedPriceView {
  @ApiProperty({ example: 'price_01JD0000000000000000000000' }) priceId: string;
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ description: 'Its name.', example: 'Platform fee' }) name: string;
  @ApiProperty() config: PriceConfigView;
  @ApiProperty({ enum: [...CADENCES] }) cadence: Cadence;
  @ApiProperty({ enum: [...TIMINGS] }) timing: Timing;
  @ApiProperty({ type: String, nullable: true }) metricId: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Units of a fee; null for a metered price, whose quantity is measured.',
    example: 1,
  })
  quantity: number | null;
}

/** How a subscription ends. */
export class CancelOptionsView {
  @ApiProperty({
    enum: [...CANCEL_CREDITS],
    description: 'What becomes of the unused part of fees that were paid in advance.',
  })
  credit: CancelCredit;
  @ApiProperty({ description: 'Whether what is in arrears is invoiced.', example: true })
  finalInvoice: boolean;
}

/** An instant that there may be none of. */
function MaybeInstant(description: string): PropertyDecorator {
  return ApiProperty({ type: String, format: 'date-time', nullable: true, description });
}

export class SubscriptionView {
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'plan_01JD0000000000000000000000' }) planId: string;
  @ApiProperty({ description: 'The version that it stays on.', type: 'integer' }) planVersion: number;
  @ApiProperty() planName: string;
  @MinimumCommitmentProperty()
  minimumCommitment: MinimumCommitmentView;
  @ApiProperty({
    type: BillingThresholdsView,
    nullable: true,
    description: 'When usage is invoiced before its period is over; null for never.',
  })
  billingThresholds: BillingThresholdsView | null;
  @ApiProperty({
    enum: [...SUBSCRIPTION_STATUSES],
    description: '`pending`: it starts in the future. `past_due`: a charge of one of its invoices failed.',
  })
  status: SubscriptionStatus;
  @ApiProperty({ example: 'USD', description: "The plan's; invoices are in it." }) currency: string;
  @ApiProperty({ example: 'UTC', description: 'Whose local calendar cuts the periods.' }) timezone: string;
  @ApiProperty({ enum: Object.keys(MONTHS), description: 'The shortest cadence of its prices.' })
  billingInterval: string;
  @ApiProperty({ format: 'date-time', description: 'What every period is counted from.' }) anchor: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The day of the month that was chosen for it.',
    example: null,
  })
  anchorDay: number | null;
  @ApiProperty({ format: 'date-time', description: 'When it starts, or started.' }) startsAt: string;
  @MaybeInstant('Null if it has not started, or was canceled before it did.') startedAt: string | null;
  @MaybeInstant('When its trial ends, or ended.') trialEnd: string | null;
  @MaybeInstant('Null if it has not started, or is paused. Of a trial, its start.') currentPeriodStart:
    string | null;
  @MaybeInstant('Exclusive.') currentPeriodEnd: string | null;
  @MaybeInstant('When it is to be paused.') pausesAt: string | null;
  @MaybeInstant('Since when it is paused.') pausedAt: string | null;
  @MaybeInstant('When it is to go on after its pause.') resumesAt: string | null;
  @MaybeInstant('When it is to end, or ended.') cancelAt: string | null;
  @ApiProperty({
    description:
      'Whether it is to end with its period, whenever that ends. While it is paused there is none.',
    example: false,
  })
  cancelAtPeriodEnd: boolean;
  @ApiProperty({
    type: CancelOptionsView,
    nullable: true,
    description: 'How it is to end, or ended. Null while no end has been decided.',
  })
  cancelOptions: CancelOptionsView | null;
  @MaybeInstant('When it ended.') canceledAt: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, nullable: true, description: 'Your own id of it, unique in the workspace.' })
  externalId: string | null;
  @ApiProperty({ type: Object }) metadata: Record<string, unknown>;
  @ApiProperty({ type: [SubscribedPriceView] }) prices: SubscribedPriceView[];
}

export class SubscriptionList extends ListView {
  @ApiProperty({ type: [SubscriptionView] }) data: SubscriptionView[];
}

/** The next invoice, as it would be if nothing more were used. */
export class UpcomingInvoiceView {
  @ApiProperty({
    example: 'sub_01JD0000000000000000000000',
    description: 'Whose it was asked for; each line says whose it is.',
  })
  subscriptionId: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: Number, example: 156.1 }) subtotal: number;
  @ApiProperty({ type: [DiscountView] }) discounts: DiscountView[];
  @ApiProperty({ type: [TaxView] }) taxes: TaxView[];
  @ApiProperty({ type: Number, example: 156.1 }) total: number;
  @ApiProperty({ description: "What it gives back beyond what it charges: for the customer's balance." })
  balanceCredited: number;
  @ApiProperty({ description: "What the customer's balance, as it is now, pays of it." })
  balanceApplied: number;
  @ApiProperty() amountDue: number;
  @ApiProperty({ type: [InvoiceLineView] }) lines: InvoiceLineView[];
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time' }) periodEnd: string;
  @ApiProperty({ format: 'date-time', description: 'When it will be issued.' }) billedAt: string;
}
