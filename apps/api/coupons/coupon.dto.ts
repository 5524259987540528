import { ApiProperty } from '@nestjs/swagger';
import {
  InvalidRequest,
  requireWholeMinorUnits,
  storedTranslations,
  type NameTranslations,
} from '#libs/kernel/core';
import type { CouponDetails } from '#libs/contexts/coupons';
import type { CouponDuration, Discount } from '#libs/rating';
import {
  BodyExample,
  ChoiceField,
  ChosenIdField,
  CurrencyField,
  DecimalField,
  IdField,
  IdListField,
  InstantField,
  NameTranslationsField,
  NameTranslationsProperty,
  IntegerField,
  SingleLineField,
  ListView,
  OneOf,
  type Variant,
} from '../http/index.js';

const DURATIONS = ['once', 'repeating', 'forever'] as const;
const MAX_LIMITS = 100;

@OneOf([
  {
    name: 'CreatePercentCouponBody',
    description: 'Takes off a percentage.',
    required: ['percentOff'],
  },
  {
    name: 'CreateAmountCouponBody',
    description: 'Takes off an amount.',
    required: ['amountOff', 'currency'],
  },
])
@BodyExample({
  id: 'WELCOME10',
  name: 'Welcome: 10% off for three months',
  percentOff: 10,
  duration: 'repeating',
  durationInInvoices: 3,
  maxRedemptions: 100,
})
export class CreateCouponBody {
  @ChosenIdField({
    optional: true,
    description:
      'An id of your choice for the coupon, such as a code. Default: a generated id such as `coupon_…`.',
    example: 'WELCOME10',
  })
  id?: string;

  @SingleLineField({
    max: 100,
    example: 'Welcome',
    description: 'The name of the coupon, which invoices print.',
  })
  name: string;

  @NameTranslationsField()
  nameTranslations?: NameTranslations | null;

  @DecimalField({
    above: 0,
    max: 100,
    optional: true,
    description:
      'The discount in percent. If an invoice has several coupons, the percentage is of the amount that the coupons before ' +
      'this one left. Give either this or `amountOff`.',
    example: 10,
  })
  percentOff?: string;

  @DecimalField({
    above: 0,
    optional: true,
    description:
      'The discount as an amount. If an invoice has several coupons, the discount is at most the amount that the coupons before ' +
      'this one left. A subscription gets the amount only once in a billing period, even if the period has several invoices. Give either ' +
      'this with `currency`, or `percentOff`. The amount cannot have more decimal digits than the currency.',
    example: 5,
  })
  amountOff?: string;

  @CurrencyField({
    optional: true,
    description: 'The currency of `amountOff`. Invoices in other currencies get no discount.',
  })
  currency?: string;

  @ChoiceField(DURATIONS, {
    optional: true,
    description:
      'How long invoices get the discount: `once` (the default) for one invoice, `repeating` for some billing periods or months, or ' +
      '`forever`. Progressive invoices (in the middle of a period, because usage passed a threshold) get no discount. They do not count as ' +
      'one of these invoices.',
  })
  duration?: (typeof DURATIONS)[number];

  @IntegerField({
    min: 1,
    max: 1_000,
    optional: true,
    description:
      'The number of billing periods whose invoices get the discount, if `duration` is `repeating`. Several invoices within one billing period ' +
      'of a subscription count once. A manual invoice counts once. Give either this or `durationInMonths`.',
    example: 3,
  })
  durationInInvoices?: number;

  @IntegerField({
    min: 1,
    max: 1_200,
    optional: true,
    description:
      'The number of months for which the discount applies, if `duration` is `repeating`. The months begin with the first invoice that gets ' +
      'the discount. Later invoices of these months get the discount too. A fee for a longer time, such as a year, gets the discount only for ' +
      'the part of its time within these months. Give either this or `durationInInvoices`.',
    example: 3,
  })
  durationInMonths?: number;

  @IntegerField({
    min: 1,
    max: 1_000_000_000,
    optional: true,
    nullable: true,
    description: 'How often all customers together can redeem the coupon. Default null: no limit.',
    example: 100,
  })
  maxRedemptions?: number | null;

  @InstantField({
    optional: true,
    nullable: true,
    description:
      'The future time from which nobody can redeem the coupon. Customers who already have the coupon keep it. Default null: never.',
  })
  expiresAt?: string | null;

  @IdListField({
    min: 1,
    max: MAX_LIMITS,
    optional: true,
    nullable: true,
    description: 'The plans whose subscriptions get the discount. Default null: all plans.',
  })
  planIds?: string[] | null;

  @IdListField({
    min: 1,
    max: MAX_LIMITS,
    optional: true,
    nullable: true,
    description: 'The prices whose lines get the discount. Default null: the whole invoice.',
  })
  priceIds?: string[] | null;
}

/**
 * Returns the details of the coupon that the request creates. Throws InvalidRequest if fields exclude each other, or if a field is missing
 * that another field needs. Throws InvalidRequest if the amount has more decimal digits than the currency. The error names the field.
 */
export function readCouponDetails(body: CreateCouponBody): Omit<CouponDetails, 'couponId'> {
  const { name, maxRedemptions = null, expiresAt = null, planIds = null, priceIds = null } = body;
  return {
    name,
    ...storedTranslations(body.nameTranslations),
    discount: discountOf(body),
    duration: durationOf(body),
    maxRedemptions,
    expiresAt,
    planIds,
    priceIds,
  };
}

function discountOf({ percentOff, amountOff, currency }: CreateCouponBody): Discount {
  if ((percentOff === undefined) === (amountOff === undefined))
    throw InvalidRequest.field('percentOff', 'give either percentOff, or amountOff with its currency');
  if (percentOff !== undefined) {
    if (currency !== undefined) throw InvalidRequest.field('currency', 'is only for amountOff');
    return { type: 'percentage', percent: percentOff };
  }
  if (currency === undefined) throw InvalidRequest.field('currency', 'must be given with amountOff');
  requireWholeMinorUnits('amountOff', amountOff!, currency);
  return { type: 'fixed', amount: amountOff!, currency };
}

function durationOf(body: CreateCouponBody): CouponDuration {
  const { duration = 'once', durationInInvoices: invoices, durationInMonths: months } = body;
  if (duration === 'repeating') {
    if (invoices === undefined && months === undefined)
      throw InvalidRequest.field(
        'durationInInvoices',
        'must be given with a duration of repeating, or durationInMonths instead',
      );
    if (months === undefined) return { type: 'repeating', invoices: invoices! };
    if (invoices !== undefined)
      throw InvalidRequest.field(
        'durationInMonths',
        'cannot be given with durationInInvoices; give one of them',
      );
    return { type: 'months', months };
  }
  if (invoices !== undefined)
    throw InvalidRequest.field('durationInInvoices', 'is only for the duration repeating');
  if (months !== undefined)
    throw InvalidRequest.field('durationInMonths', 'is only for the duration repeating');
  return { type: duration };
}

export class ApplyCouponBody {
  @IdField({ example: 'WELCOME10', description: 'The id of the coupon.' })
  couponId: string;
}

/** Returns the two variants of a schema: one with a discount in percent, and one with a discount as an amount. */
function formsOf(thing: string): Variant[] {
  return [
    {
      name: `Percent${thing}`,
      description: 'Takes off a percentage.',
      required: ['percentOff'],
      nullFields: ['amountOff', 'currency'],
    },
    {
      name: `Amount${thing}`,
      description: 'Takes off an amount.',
      required: ['amountOff', 'currency'],
      nullFields: ['percentOff'],
    },
  ];
}

class CouponDiscountView {
  @ApiProperty({ type: Number, nullable: true, example: 10 }) percentOff: number | null;
  @ApiProperty({ type: Number, nullable: true }) amountOff: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'USD',
    description: 'The currency of `amountOff`. Null if the discount is in percent.',
  })
  currency: string | null;
  @ApiProperty({ enum: DURATIONS }) duration: (typeof DURATIONS)[number];
  @ApiProperty({ type: 'integer', nullable: true }) durationInInvoices: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) durationInMonths: number | null;
}

@OneOf(formsOf('CouponView'))
export class CouponView extends CouponDiscountView {
  @ApiProperty({ example: 'WELCOME10' }) id: string;
  @ApiProperty({ description: 'The name of the coupon, which invoices print.', example: 'Welcome' })
  name: string;
  @NameTranslationsProperty() nameTranslations: NameTranslations;
  @ApiProperty({ type: 'integer', nullable: true }) maxRedemptions: number | null;
  @ApiProperty({ type: 'integer', description: 'How often the coupon was redeemed.', example: 3 })
  redemptions: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expiresAt: string | null;
  @ApiProperty({ type: [String], nullable: true }) planIds: string[] | null;
  @ApiProperty({ type: [String], nullable: true }) priceIds: string[] | null;
  @ApiProperty({
    description:
      'False if the coupon was deactivated. A coupon that has expired or is used up stays active, although nobody can redeem it.',
    example: true,
  })
  active: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class CouponList extends ListView {
  @ApiProperty({ type: [CouponView] }) data: CouponView[];
}

@OneOf(formsOf('RedemptionView'))
export class RedemptionView extends CouponDiscountView {
  @ApiProperty({ example: 'red_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'WELCOME10' }) couponId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The id of the subscription. Null if the coupon applies to all subscriptions of the customer.',
  })
  subscriptionId: string | null;
  @ApiProperty({ description: 'The name of the coupon, which invoices print.', example: 'Welcome' })
  name: string;
  @ApiProperty({
    type: [String],
    description: 'The ids of the drafts and invoices that got the discount, without voided ones.',
    example: ['inv_01JD0000000000000000000000'],
  })
  usedOn: string[];
  @ApiProperty({ format: 'date-time', description: 'The time when the coupon was applied.' })
  redeemedAt: string;
}

/** A coupon that was applied to a customer, in the export of the customer's data. */
export class ExportedRedemptionView extends RedemptionView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'The time when the coupon was removed from the customer. Null if the coupon was not removed.',
  })
  removedAt: string | null;
}

export class RedemptionList extends ListView {
  @ApiProperty({ type: [RedemptionView] }) data: RedemptionView[];
}
