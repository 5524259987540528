import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LINE_TYPES, MONTHS_PER_PERIOD } from '#libs/rating';

/** A tier of a price: the part of the quantity whose units have the same price. */
export class TierView {
  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'The number of the last unit in the tier, counted from the first unit that is not included in the price. The tier of the included ' +
      'units has the number of included units. Null if the tier has no end, and for the charged part of a `package` or `percentage` ' +
      'price. Null for all parts of a `percentage` price that charges for single events.',
  })
  upTo: number | null;
  @ApiProperty({ description: 'The number of units in the tier.' }) quantity: number;
  @ApiPropertyOptional({ description: 'The price of one unit. Absent if the units of the tier have none.' })
  unitPrice?: number;
  @ApiPropertyOptional() flatAmount?: number;
  @ApiPropertyOptional({
    description: 'True for units that are included or free. Absent for others.',
    example: true,
  })
  free?: boolean;
  @ApiPropertyOptional({
    description:
      'The number of packages, including a partly used package. Absent for other models than `package`.',
    example: 15,
  })
  packages?: number;
  @ApiPropertyOptional({
    description: 'The number of units in a package. Absent for other models than `package`.',
  })
  packageSize?: number;
  @ApiPropertyOptional({ description: 'The price of a package. Absent for other models than `package`.' })
  packagePrice?: number;
  @ApiPropertyOptional({
    description: 'The percentage of the quantity that is charged. Absent for other models than `percentage`.',
  })
  rate?: number;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The number of events in the tier. Absent for other models than `percentage`.',
  })
  events?: number;
  @ApiPropertyOptional({ description: 'The fixed fee for each event in the tier. Absent if there is none.' })
  fixedFee?: number;
  @ApiProperty({ description: 'The exact amount of the tier. Only the amount of the whole line is rounded.' })
  amount: number;
}

class LinePeriodView {
  @ApiProperty({ format: 'date-time' }) start: string;
  @ApiProperty({ format: 'date-time' }) end: string;
}

class DimensionView {
  @ApiProperty({ description: 'A property that the metric groups by.', example: 'model' }) property: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The value of the property in this group. Null if the events do not have the property.',
    example: 'haiku',
  })
  value: string | null;
}

class LateQuantityView {
  @ApiPropertyOptional({
    description: "The group of the metric's usage. Absent if the usage is in no group.",
  })
  group?: string;
  @ApiPropertyOptional({
    type: [DimensionView],
    description:
      "The properties of the group with their values, in the order of the metric's `groupBy`. Absent if there is no `group`.",
  })
  dimensions?: readonly DimensionView[];
  /** The quantity when the period was last billed. */
  @ApiProperty() billed: number;
  /** The quantity with the late usage. */
  @ApiProperty() counted: number;
}

class LateDetailsView {
  @ApiProperty({ description: 'The invoice that billed the period.' }) invoiceId: string;
  @ApiProperty({
    description: 'The position up to which the usage log was read when the period was last billed.',
  })
  usageWatermark: string;
  @ApiProperty({ description: 'The amount for the whole period when the period was last billed.' })
  billed: number;
  @ApiProperty({ description: 'The amount for the whole period with the late usage.' }) counted: number;
  @ApiProperty({
    type: [LateQuantityView],
    description:
      'The quantities that have changed. If more than a hundred groups have changed, only the first hundred groups are listed.',
  })
  quantities: LateQuantityView[];
}

class CommittedPartView extends LinePeriodView {
  @ApiProperty() planId: string;
  @ApiProperty({ type: 'integer' }) planVersion: number;
  @ApiProperty() planName: string;
  @ApiProperty({
    description: 'The minimum amount for a whole billing period, or for the interval of the minimum.',
    example: 100,
  })
  minimum: number;
  @ApiPropertyOptional({
    enum: Object.keys(MONTHS_PER_PERIOD),
    description: 'The interval of the minimum. Absent if the minimum is for each billing period.',
  })
  interval?: keyof typeof MONTHS_PER_PERIOD;
  @ApiPropertyOptional({
    type: LinePeriodView,
    description:
      'The period of the minimum. Absent if the minimum is for one billing period of the subscription: the one in which the line ends.',
  })
  period?: LinePeriodView;
}

class CommitmentDetailsView {
  @ApiProperty({
    type: [CommittedPartView],
    description: 'The parts of the period. There are several parts if the minimum changed within the period.',
  })
  parts: CommittedPartView[];
  @ApiProperty({
    description:
      "The committed amount: the sum of the minimums of the parts, each reduced to the part's share of the full period.",
    example: 100,
  })
  due: number;
  @ApiProperty({
    description: 'The charges that count towards the minimum of the period, before coupons and taxes.',
  })
  counted: number;
  @ApiPropertyOptional({
    description:
      'The earlier invoice that compared the charges with the minimum. Absent unless late usage changes the shortfall.',
  })
  invoiceId?: string;
  @ApiPropertyOptional({
    description:
      'The charges of the period when the earlier invoice compared them with the minimum. Absent if there is no `invoiceId`.',
    example: 80,
  })
  countedBefore?: number;
}

class InvoicedDetailsView {
  @ApiProperty({
    type: [String],
    description: 'The earlier invoices that charged for the usage that this line deducts.',
    example: ['inv_01JD0000000000000000000000'],
  })
  invoiceIds: string[];
  @ApiProperty({
    description:
      'The amount for the usage from the start of the period until the last of the earlier invoices.',
  })
  billed: number;
  @ApiProperty({ description: 'The amount for the usage from the start of the period until this invoice.' })
  counted: number;
  @ApiProperty({
    description:
      'The amount of the earlier charges that is left after coupons, credit notes and voids. If `counted` is below `billed`, the ' +
      'customer gets back at most this amount.',
    example: 20,
  })
  atMost: number;
}

class UnusedDetailsView {
  @ApiProperty({ description: 'The invoice that charged the fee.' }) invoiceId: string;
  @ApiProperty({ description: 'The id of the line on the earlier invoice.' }) lineId: string;
  @ApiProperty({ description: 'The amount that the earlier line charged, after coupons.', example: 20 })
  net: number;
  @ApiProperty({
    description: 'The part of `net` that had not been given back before this invoice.',
    example: 20,
  })
  left: number;
  @ApiPropertyOptional({
    description:
      "The amount that coupons took off the fee, for the fee's whole period. Absent if they took nothing off.",
  })
  discount?: number;
}

class GivenBackLineView {
  @ApiProperty({ description: 'The earlier invoice.' }) invoiceId: string;
  @ApiProperty({ description: 'The id of the line on the earlier invoice.' }) lineId: string;
  @ApiProperty({
    description:
      'The amount that is given back, after coupons and before added taxes. The amount is a positive number.',
  })
  amount: number;
}

class LineDiscountView {
  @ApiProperty({ description: "The id of the discount in the invoice's `discounts`." }) redemptionId: string;
  @ApiProperty({ description: "The coupon's part of the line's discount.", example: 2 }) amount: number;
}

export class InvoiceLineView {
  @ApiProperty({ example: 'line_01HZX3…' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The id of the subscription. Null for a line of an invoice of the kind `manual`, `credit_purchase` or `overage`.',
  })
  subscriptionId: string | null;
  @ApiProperty({
    enum: [...LINE_TYPES],
    description:
      '`credit`: gives back a fee, or part of a fee. `minimum`: the shortfall to the minimum of a price or a plan. `manual`: a manual ' +
      'charge. `late_usage`: the difference that late events make to the amount of a period that was already billed. ' +
      '`progressive_credit`: deducts usage that was already invoiced within its period. `credit_purchase`: prepaid credits that the ' +
      'customer buys. `overage`: credits that usage cost and the customer did not have. The quantity of an `overage` line is in ' +
      'credits.',
  })
  type: (typeof LINE_TYPES)[number];
  @ApiProperty({ description: 'What the line is for.', example: 'API units' }) description: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      "The id of the price. Null for the types `manual`, `credit_purchase` and `overage`, and for a plan's minimum commitment.",
  })
  priceId: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The version of the price. Null if `priceId` is null.',
  })
  priceVersion: number | null;
  @ApiPropertyOptional() metricId?: string;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The version of the metric. Absent if nothing is metered.',
  })
  metricVersion?: number;
  @ApiPropertyOptional({
    description: 'The id of the credit type of a `credit_purchase` or an `overage`. Absent for other lines.',
    example: 'ai-credits',
  })
  creditType?: string;
  @ApiPropertyOptional({
    description:
      "The group of the metric's usage. If an invoice would have more than 1,000 lines, or lines of more than 512 KiB, all groups of a " +
      'price share one line. The prices with the largest lines are the first to do so. Absent if the line is not for one group.',
  })
  group?: string;
  @ApiPropertyOptional({
    type: [DimensionView],
    description:
      "The properties of the group with their values, in the order of the metric's `groupBy`. Absent if there is no `group`.",
  })
  dimensions?: readonly DimensionView[];
  @ApiPropertyOptional({
    description:
      'The position up to which the usage log was read for this line. Absent if the line has no usage.',
  })
  usageWatermark?: string;
  @ApiProperty({ description: 'The exact quantity.' }) quantity: number;
  @ApiPropertyOptional({
    description:
      'The exact price of a unit. Absent if the units have different prices, if `tiers` has the prices, for a price of the model `flat`, ' +
      'and for a line that charges or gives back a difference.',
  })
  unitPrice?: number;
  @ApiPropertyOptional({
    type: [TierView],
    description: 'The parts of the quantity with prices of their own. Absent if the line has no such parts.',
  })
  tiers?: TierView[];
  @ApiProperty({
    description:
      "The amount before coupons and added taxes, rounded to the currency's minor unit. The amount is below zero for `credit`, " +
      '`progressive_credit`, a `manual` deduction, and `late_usage` that makes its period cheaper. A `minimum` is below zero if late ' +
      'usage lowers the shortfall.',
    example: 3.75,
  })
  amount: number;
  @ApiPropertyOptional({
    description: 'The amount that coupons deduct from the line. Absent if they deduct nothing.',
  })
  discount?: number;
  @ApiPropertyOptional({
    type: [LineDiscountView],
    description: 'The discount of each coupon. Absent unless several coupons discount the line.',
  })
  discountedBy?: LineDiscountView[];
  @ApiPropertyOptional({
    type: [String],
    description:
      "Which of the invoice's `taxes` apply to the line. Empty if the line is not taxed. Absent if all lines have all taxes.",
  })
  taxRateIds?: string[];
  @ApiPropertyOptional({
    description:
      "The amount that would be charged without the price's minimum. Absent if the minimum raises nothing.",
  })
  amountBeforeMinimum?: number;
  @ApiPropertyOptional({
    description:
      "The amount that would be charged without the price's maximum. Absent if the maximum lowers nothing.",
  })
  amountBeforeMaximum?: number;
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'The first moment after the period.' }) periodEnd: string;
  @ApiPropertyOptional({
    description:
      'The full period, of which the amount is for a part. Absent if the amount is for a whole period.',
  })
  proratedFrom?: LinePeriodView;
  @ApiPropertyOptional({
    type: LateDetailsView,
    description: 'Details of a `late_usage` line. Absent for other lines.',
  })
  late?: LateDetailsView;
  @ApiPropertyOptional({
    type: CommitmentDetailsView,
    description: "Details of a line for a plan's minimum commitment. Absent for other lines.",
  })
  commitment?: CommitmentDetailsView;
  @ApiPropertyOptional({
    type: InvoicedDetailsView,
    description: 'Details of a `progressive_credit` line. Absent for other lines.',
  })
  invoiced?: InvoicedDetailsView;
  @ApiPropertyOptional({
    type: UnusedDetailsView,
    description: 'Details of a line that gives back a fee. Absent for other lines.',
  })
  unused?: UnusedDetailsView;
  @ApiPropertyOptional({
    type: [GivenBackLineView],
    description:
      "The amounts of earlier invoices' lines that this line gives back. Absent if it gives nothing back, or if they are not known.",
  })
  givesBack?: GivenBackLineView[];
}
