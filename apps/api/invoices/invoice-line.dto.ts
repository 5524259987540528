import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LINE_TYPES, MONTHS } from '#libs/rating';

/** A part of a quantity that is priced alike. */
export class TierView {
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The last unit of the tier, where it has bounds.',
  })
  upTo: number | null;
  @ApiProperty({ description: 'How many units are in it.' }) quantity: number;
  @ApiPropertyOptional() unitPrice?: number;
  @ApiPropertyOptional() flatAmount?: number;
  @ApiPropertyOptional({ description: 'Included or free units.', example: true }) free?: boolean;
  @ApiPropertyOptional({ description: 'Started packages, for `package`.', example: 15 }) packages?: number;
  @ApiPropertyOptional() packageSize?: number;
  @ApiPropertyOptional() packagePrice?: number;
  @ApiPropertyOptional({ description: 'Percent of the quantity, for `percentage`.' }) rate?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'Events that it is made of, for `percentage`.' })
  events?: number;
  @ApiPropertyOptional({ description: 'Of each of these events.' }) fixedFee?: number;
  @ApiProperty({ description: 'Exact; the line is rounded.' }) amount: number;
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
    description: 'Its value in this group; null where the events have none.',
    example: 'haiku',
  })
  value: string | null;
}

class LateQuantityView {
  @ApiPropertyOptional() group?: string;
  @ApiPropertyOptional({ type: [DimensionView], description: "The same by property, in the metric's order." })
  dimensions?: DimensionView[];
  @ApiProperty() billed: number;
  @ApiProperty() counted: number;
}

class LateDetailsView {
  @ApiProperty({ description: 'The invoice that billed the period.' }) invoiceId: string;
  @ApiProperty({ description: 'How far the usage log had been read when the period was last billed.' })
  usageWatermark: string;
  @ApiProperty({ description: 'What the whole period came to then.' }) billed: number;
  @ApiProperty({ description: 'What it comes to with what came late.' }) counted: number;
  @ApiProperty({
    type: [LateQuantityView],
    description: 'The quantities that have changed; of groups, the first hundred.',
  })
  quantities: LateQuantityView[];
}

class CommittedPartView extends LinePeriodView {
  @ApiProperty() planId: string;
  @ApiProperty({ type: 'integer' }) planVersion: number;
  @ApiProperty() planName: string;
  @ApiProperty({ description: 'For a whole billing period, or for the interval.', example: 100 })
  minimum: number;
  @ApiPropertyOptional({ enum: Object.keys(MONTHS), description: 'Left out for a billing period.' })
  interval?: string;
  @ApiPropertyOptional({
    type: LinePeriodView,
    description: 'What the minimum is for, where that is not the billing period that ends with it.',
  })
  period?: LinePeriodView;
}

class CommitmentDetailsView {
  @ApiProperty({
    type: [CommittedPartView],
    description: 'More than one if the least amount was changed within the period.',
  })
  parts: CommittedPartView[];
  @ApiProperty({
    description: "What was committed to: of each part's minimum its share of the full period that it is for.",
    example: 100,
  })
  due: number;
  @ApiProperty({ description: 'What the charges of that time come to, before coupons and taxes.' })
  counted: number;
  @ApiPropertyOptional({
    description: 'Where late usage changes what was missing: the invoice that billed that.',
  })
  invoiceId?: string;
  @ApiPropertyOptional({ description: 'What the charges had come to by then.', example: 80 })
  countedBefore?: number;
}

class InvoicedDetailsView {
  @ApiProperty({
    type: [String],
    description: 'The invoices that charged for it before.',
    example: ['inv_01JD0000000000000000000000'],
  })
  invoiceIds: string[];
  @ApiProperty({ description: 'What the usage came to on the last of them.' }) billed: number;
  @ApiProperty({ description: 'What it comes to on this one.' }) counted: number;
  @ApiProperty({
    description:
      'What is left of what they charged for it, without what credit notes and voids took off: never more is given back.',
    example: 20,
  })
  atMost: number;
}

class UnusedDetailsView {
  @ApiProperty({ description: 'The invoice that charged the fee.' }) invoiceId: string;
  @ApiProperty({ description: 'Its line.' }) lineId: string;
  @ApiProperty({ description: 'What that line charged, less its coupons.', example: 20 }) net: number;
  @ApiProperty({ description: 'The same less what had been given back of it by then.', example: 20 })
  left: number;
  @ApiPropertyOptional({ description: "What coupons took off it, for the fee's whole period." })
  discount?: number;
}

class GivenBackLineView {
  @ApiProperty({ description: 'The earlier invoice.' }) invoiceId: string;
  @ApiProperty({ description: 'Its line.' }) lineId: string;
  @ApiProperty({ description: 'Above zero, less coupons and before taxes that are added.' }) amount: number;
}

class LineDiscountView {
  @ApiProperty({ description: "Which of the invoice's `discounts` it is." }) redemptionId: string;
  @ApiProperty({ description: "The coupon's part of the line's discount.", example: 2 }) amount: number;
}

export class InvoiceLineView {
  @ApiProperty({ example: 'line_01HZX3…' }) id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null for a `manual` line.' })
  subscriptionId: string | null;
  @ApiProperty({
    enum: [...LINE_TYPES],
    description:
      '`credit`: what is given back of a fee. `minimum`: what is missing to the minimum of a price or a plan. `manual`: charged for by hand. ' +
      '`late_usage`: the difference that events make which came after their period had been billed. ' +
      '`progressive_credit`: what of the usage was invoiced before its period was over.',
  })
  type: string;
  @ApiProperty({ description: 'What the line is for.', example: 'API units' }) description: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "Null for a `manual` line, and for a plan's minimum commitment.",
  })
  priceId: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) priceVersion: number | null;
  @ApiPropertyOptional() metricId?: string;
  @ApiPropertyOptional({ type: 'integer' }) metricVersion?: number;
  @ApiPropertyOptional({
    description:
      "The group of the metric's usage. An invoice has up to 1,000 lines; where there are more groups than fit, those of a price are one line.",
  })
  group?: string;
  @ApiPropertyOptional({ type: [DimensionView], description: "The same by property, in the metric's order." })
  dimensions?: DimensionView[];
  @ApiPropertyOptional({ description: 'How far the usage log had been read.' }) usageWatermark?: string;
  @ApiProperty({ description: 'Exact.' }) quantity: number;
  @ApiPropertyOptional({ description: 'Exact; absent where there is no one price per unit.' })
  unitPrice?: number;
  @ApiPropertyOptional({ type: [TierView] }) tiers?: TierView[];
  @ApiProperty({
    description:
      "Rounded to the currency's minor unit; below zero for a `credit` and a `progressive_credit`, for `late_usage` that makes its period cheaper, and where that counts towards a minimum commitment.",
    example: 3.75,
  })
  amount: number;
  @ApiPropertyOptional({ description: 'What coupons take off it.' })
  discount?: number;
  @ApiPropertyOptional({
    type: [LineDiscountView],
    description: 'The same by coupon, where several take something off.',
  })
  discountedBy?: LineDiscountView[];
  @ApiPropertyOptional({
    type: [String],
    description:
      "Which of the invoice's `taxes` are on it, where its lines have different ones; empty for what is not taxed. Absent: all of them.",
  })
  taxRateIds?: string[];
  @ApiPropertyOptional({ description: "What a fee would be without the price's minimum." })
  amountBeforeMinimum?: number;
  @ApiPropertyOptional({ description: "What it would be without the price's maximum." })
  amountBeforeMaximum?: number;
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'Exclusive.' }) periodEnd: string;
  @ApiPropertyOptional({ description: 'The full period, of which the amount is a share.' })
  proratedFrom?: LinePeriodView;
  @ApiPropertyOptional({ type: LateDetailsView, description: 'On a line of `late_usage`.' })
  late?: LateDetailsView;
  @ApiPropertyOptional({
    type: CommitmentDetailsView,
    description: "On a line of a plan's minimum commitment.",
  })
  commitment?: CommitmentDetailsView;
  @ApiPropertyOptional({ type: InvoicedDetailsView, description: 'On a line of `progressive_credit`.' })
  invoiced?: InvoicedDetailsView;
  @ApiPropertyOptional({ type: UnusedDetailsView, description: 'On a line that gives a fee back.' })
  unused?: UnusedDetailsView;
  @ApiPropertyOptional({
    type: [GivenBackLineView],
    description: "What of earlier invoices' lines it gives back, where that is known.",
  })
  givesBack?: GivenBackLineView[];
}
