import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_ITEMS } from '#libs/billing';
import { INVOICE_KINDS, INVOICE_STATUSES, type InvoiceStatus } from '#libs/invoicing';
import { LINE_TYPES } from '#libs/rating';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  CurrencyField,
  IdField,
  IntegerField,
  RuleField,
  TextField,
} from '../http/index.js';

const MAX_PAGE_SIZE = 100;

/** Pages by `page` and `page_size`, or by `limit` and `offset` as every other list. */
export class InvoiceListQuery {
  @ChoiceField(INVOICE_STATUSES, { optional: true })
  status?: InvoiceStatus;

  @IdField({ optional: true })
  customer_id?: string;

  @IntegerField({ min: 1, max: 1_000_000, query: true, optional: true, description: 'From 1, the default.' })
  page?: number;

  @IntegerField({ min: 1, max: MAX_PAGE_SIZE, query: true, optional: true, description: 'Default 20.' })
  page_size?: number;

  @IntegerField({
    min: 1,
    max: MAX_PAGE_SIZE,
    query: true,
    optional: true,
    description: 'Most entries in the answer, in place of `page_size`. Default 20.',
  })
  limit?: number;

  @IntegerField({
    min: 0,
    max: 100_000_000,
    query: true,
    optional: true,
    description: 'Entries to leave out first, in place of `page`.',
  })
  offset?: number;
}

@BodyExample({
  customerId: 'northwind',
  lines: [{ description: 'Setup', quantity: 1, unitPrice: 250 }],
})
export class CreateInvoiceBody {
  @IdField({ example: 'cust_northwind' })
  customerId: string;

  @CurrencyField({ optional: true, description: "Default the customer's." })
  currency?: string;

  @RuleField(
    'isLineList',
    {
      type: 'array',
      maxItems: MAX_ITEMS,
      items: {
        type: 'object',
        required: ['description', 'unitPrice'],
        properties: {
          description: { type: 'string', maxLength: 500 },
          quantity: { type: 'number', minimum: 0, default: 1 },
          unitPrice: { type: 'number', minimum: 0 },
          periodStart: { type: 'string', format: 'date-time' },
          periodEnd: { type: 'string', format: 'date-time', description: 'Exclusive.' },
        },
      },
    },
    Array.isArray,
    {
      message: 'must be a list of {"description": "…", "quantity": 1, "unitPrice": 100}',
      description: 'What is charged for. With a period it is earned over that, else at once.',
    },
  )
  lines: unknown;

  @IntegerField({
    min: 0,
    max: 365,
    optional: true,
    description: "Days from opening to the due date. Default the billing settings'.",
  })
  netDays?: number;

  @TextField({ max: 600, optional: true, description: 'Printed on the invoice.' })
  memo?: string;

  @BooleanField({
    optional: true,
    description: 'Whether it stays a draft until it is approved. Default false: as the billing settings say.',
  })
  draft?: boolean;
}

export class VoidInvoiceBody {
  @TextField({ max: 500, optional: true, nullable: true, description: 'Why; kept with the invoice.' })
  reason?: string | null;
}

/** A part of a quantity that is priced alike. */
export class TierView {
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The last unit of the tier, where it has bounds.',
  })
  upTo: number | null;
  @ApiProperty() quantity: number;
  @ApiPropertyOptional() unitPrice?: number;
  @ApiPropertyOptional() flatAmount?: number;
  @ApiPropertyOptional({ description: 'Included or free units.' }) free?: boolean;
  @ApiPropertyOptional({ description: 'Started packages, for `package`.' }) packages?: number;
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

class LateQuantityView {
  @ApiPropertyOptional() group?: string;
  @ApiProperty() billed: number;
  @ApiProperty() counted: number;
}

class LateDetailsView {
  @ApiProperty({ description: 'The invoice that billed the period.' }) invoiceId: string;
  @ApiProperty({ description: 'How far the usage log had been read when the period was last billed.' })
  usageWatermark: string;
  @ApiProperty({ description: 'What the whole period came to then.' }) billed: number;
  @ApiProperty({ description: 'What it comes to with what came late.' }) counted: number;
  @ApiProperty({ type: [LateQuantityView], description: 'The quantities that have changed.' })
  quantities: LateQuantityView[];
}

class CommittedPartView extends LinePeriodView {
  @ApiProperty() planId: string;
  @ApiProperty({ type: 'integer' }) planVersion: number;
  @ApiProperty() planName: string;
  @ApiProperty({ description: 'For a whole billing period.' }) minimum: number;
}

class CommitmentDetailsView {
  @ApiProperty({
    type: [CommittedPartView],
    description: 'More than one if the least amount was changed within the period.',
  })
  parts: CommittedPartView[];
  @ApiProperty({
    description: "What was committed to: of each part's minimum its share of the billing period.",
  })
  due: number;
  @ApiProperty({ description: 'What the charges of that time come to, before coupons and taxes.' })
  counted: number;
  @ApiPropertyOptional({
    description: 'Where late usage changes what was missing: the invoice that billed that.',
  })
  invoiceId?: string;
  @ApiPropertyOptional({ description: 'What the charges had come to by then.' }) countedBefore?: number;
}

class InvoicedDetailsView {
  @ApiProperty({ type: [String], description: 'The invoices that charged for it before.' })
  invoiceIds: string[];
  @ApiProperty({ description: 'What the usage came to on the last of them.' }) billed: number;
  @ApiProperty({ description: 'What it comes to on this one.' }) counted: number;
  @ApiProperty({
    description:
      'What is left of what they charged for it, without what credit notes and voids took off: never more is given back.',
  })
  atMost: number;
}

export class InvoiceLineView {
  @ApiProperty({ example: 'line_01HZX3…' }) id: string;
  @ApiProperty({
    enum: [...LINE_TYPES],
    description:
      '`credit`: what is given back of a fee. `minimum`: what is missing to the minimum of a price or a plan. `manual`: charged for by hand. ' +
      '`late_usage`: the difference that events make which came after their period had been billed. ' +
      '`progressive_credit`: what of the usage was invoiced before its period was over.',
  })
  type: string;
  @ApiProperty() description: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "Null for a `manual` line, and for a plan's minimum commitment.",
  })
  priceId: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) priceVersion: number | null;
  @ApiPropertyOptional() metricId?: string;
  @ApiPropertyOptional({ type: 'integer' }) metricVersion?: number;
  @ApiPropertyOptional({ description: "The group of the metric's usage." }) group?: string;
  @ApiPropertyOptional({ description: 'How far the usage log had been read.' }) usageWatermark?: string;
  @ApiProperty({ description: 'Exact.' }) quantity: number;
  @ApiPropertyOptional({ description: 'Exact; absent where there is no one price per unit.' })
  unitPrice?: number;
  @ApiPropertyOptional({ type: [TierView] }) tiers?: TierView[];
  @ApiProperty({
    description:
      "Rounded to the currency's minor unit; below zero for a `credit` and a `progressive_credit`, for `late_usage` that makes its period cheaper, and where that counts towards a minimum commitment.",
  })
  amount: number;
  @ApiPropertyOptional({ description: 'What coupons take off it.' })
  discount?: number;
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
}

export class DiscountView {
  @ApiProperty({ example: 'red_01JD0000000000000000000000' }) redemptionId: string;
  @ApiProperty({ example: 'WELCOME10' }) couponId: string;
  @ApiProperty({ example: 'Welcome' }) name: string;
  @ApiProperty({ description: 'What the coupon takes off; each line says its part.' }) amount: number;
}

export class TaxView {
  @ApiProperty({ example: 'tax_01JD0000000000000000000000' }) taxRateId: string;
  @ApiProperty({ example: 'VAT' }) name: string;
  @ApiProperty({ example: 19 }) percentage: number;
  @ApiProperty({ description: 'Whether the lines contain it already; else it is added to them.' })
  inclusive: boolean;
  @ApiProperty({ description: 'The amount without any tax.' }) taxable: number;
  @ApiProperty({ description: 'Rounded once.' }) amount: number;
}

export class InvoiceView {
  @ApiProperty({ example: 'inv_01HZX3…' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'INV-000042', description: 'Given at opening.' })
  number: string | null;
  @ApiProperty() customerId: string;
  @ApiProperty({ type: String, nullable: true }) subscriptionId: string | null;
  @ApiProperty({
    enum: [...INVOICE_KINDS],
    description:
      '`interim`: asked for within its period. `progressive`: made as the usage of the period reached the threshold.',
  })
  kind: string;
  @ApiProperty({ type: String, nullable: true }) memo: string | null;
  @ApiProperty({ enum: INVOICE_STATUSES }) status: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ description: 'The sum of the lines.' }) subtotal: number;
  @ApiProperty({ type: [DiscountView] }) discounts: DiscountView[];
  @ApiProperty({ type: [TaxView] }) taxes: TaxView[];
  @ApiProperty({ type: String, nullable: true, description: 'Why there is no tax.' })
  taxExemptReason: string | null;
  @ApiProperty() total: number;
  @ApiProperty({ description: "What the customer's balance paid of the total." }) balanceApplied: number;
  @ApiProperty({ description: "What it gives back beyond what it charges: added to the customer's balance." })
  balanceCredited: number;
  @ApiProperty() amountDue: number;
  @ApiProperty() amountPaid: number;
  @ApiProperty({ description: 'The sum of its credit notes.' }) amountCredited: number;
  @ApiProperty({ type: [InvoiceLineView] }) lines: InvoiceLineView[];
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'Exclusive.' }) periodEnd: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) issuedAt: string | null;
  @ApiProperty({ format: 'date-time' }) dueDate: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) paidAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) voidedAt: string | null;
  @ApiProperty({ type: String, nullable: true }) voidReason: string | null;
}

class PaginationView {
  @ApiProperty({ type: 'integer' }) total: number;
  @ApiProperty({ type: 'integer' }) page: number;
  @ApiProperty({ type: 'integer' }) pageSize: number;
}

export class InvoiceList {
  @ApiProperty({ type: [InvoiceView] }) data: InvoiceView[];
  @ApiProperty() pagination: PaginationView;
}

export class PaymentAttemptView {
  @ApiProperty({ example: 'pay_01HZX3…' }) id: string;
  @ApiProperty({ type: 'integer', description: 'From 1.' }) attempt: number;
  @ApiProperty({ enum: ['pending', 'succeeded', 'failed', 'requires_action'] }) status: string;
  @ApiProperty() amount: number;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty() paymentMethodId: string;
  @ApiProperty({ example: 'Visa ending 4242' }) paymentMethod: string;
  @ApiProperty({ type: String, nullable: true, example: 'card_declined' }) failureCode: string | null;
  @ApiProperty({ type: String, nullable: true }) failureMessage: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finishedAt: string | null;
}

export class PaymentAttemptList {
  @ApiProperty({ type: [PaymentAttemptView] }) data: PaymentAttemptView[];
}

export class InvoiceLinkView {
  @ApiProperty({
    description: 'The hosted page; the same each time. Whoever has it can see and pay the invoice.',
  })
  url: string;
  @ApiProperty({ type: String, nullable: true, description: 'Links do not expire.' }) expiresAt: null;
}
