import { ApiProperty } from '@nestjs/swagger';
import { REVENUE_GROUPINGS, type RevenueGrouping } from '#projections/ledger';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  CsvQuery,
  CurrencyField,
  FormerName,
  MonthField,
} from '../http/index.js';

@BodyExample({ period: '2026-01' })
export class GenerateRevenueBody {
  @MonthField({
    description:
      'The month to close. The month must be over in all time zones by the clock of the workspace: at noon UTC of the next day.',
  })
  period: string;

  @BooleanField({
    optional: true,
    description:
      'Whether the first closing may leave out earlier months with postings. They can never be closed then. Without it, such a closing is ' +
      'refused with `earlier_months_open`.',
    example: false,
  })
  skipEarlierMonths?: boolean;
}

export class RevenueQuery extends CsvQuery {
  @MonthField({
    optional: true,
    description: 'The first month. Default: the month of `until`. A report has at most 60 months.',
  })
  @FormerName('from')
  since?: string;

  @MonthField({ optional: true, description: 'The last month. Default: the present month in UTC.' })
  @FormerName('to')
  until?: string;

  @CurrencyField({ optional: true, description: 'Selects a currency. Default: all.' })
  currency?: string;
}

export class ContractsQuery extends RevenueQuery {
  @ChoiceField(REVENUE_GROUPINGS, {
    optional: true,
    description:
      'The kind of resource that each row is for. With `plan`, the revenue of a subscription belongs to the present plan of the subscription, ' +
      'also if it was billed for an earlier plan.',
  })
  groupBy: RevenueGrouping = 'customer';
}

export class RevenueSourcesView {
  @ApiProperty({
    description:
      'The revenue of invoices of the month, less the revenue of invoices that were voided in the month.',
    example: 20,
  })
  billed: number;
  @ApiProperty({
    description:
      'The revenue of fees that had been deferred before, also if a credit note or its void posts it before the end of the month.',
    example: 100,
  })
  deferred: number;
  @ApiProperty({ description: 'The change of the unbilled revenue in the month.', example: 5 })
  unbilled: number;
  @ApiProperty({ description: 'The revenue of prepaid credits that were used.', example: 0 }) credits: number;
  @ApiProperty({
    description: 'The revenue of prepaid credits that expired, or were voided without a credit note.',
    example: 0,
  })
  breakage: number;
  @ApiProperty({
    description:
      'The revenue that credit notes and refunds at the payment processor itself took back, as a negative amount. A voided credit note or ' +
      'a failed refund adds its amount again, so the amount can be above zero. Credits that were voided with a credit note offset it.',
    example: 0,
  })
  contra: number;
}

export class MonthRevenueView {
  @ApiProperty({ example: '2026-01', description: 'The month.' }) month: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ enum: ['open', 'closed'], description: 'The figures of a closed month do not change.' })
  status: 'open' | 'closed';
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time when the month was closed. Null if the month is open.',
  })
  closedAt: string | null;
  @ApiProperty({
    description:
      'The invoiced amount without taxes, less give-backs, credit notes and voids. A refund at the payment processor itself is also ' +
      'subtracted, with its taxes.',
    example: 1220,
  })
  billed: number;
  @ApiProperty({
    description:
      '`billed` plus the change of `unbilled`. The amount is also `recognised` plus the change of `deferred`.',
    example: 1225,
  })
  booked: number;
  @ApiProperty({ description: 'The revenue that was earned in the month.', example: 125 }) recognised: number;
  @ApiProperty({ type: RevenueSourcesView, description: 'The parts of `recognised`.' })
  sources: RevenueSourcesView;
  @ApiProperty({
    description: 'The revenue that was invoiced but not yet earned at the end of the month.',
    example: 1100,
  })
  deferred: number;
  @ApiProperty({
    description: 'The revenue that was earned but not yet invoiced at the end of the month.',
    example: 5,
  })
  unbilled: number;
}

export class EarlierMonthChangeView {
  @ApiProperty({ format: 'date', example: '2026-03-05', description: 'The booking date.' }) date: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 'Credit note CN-000001 on invoice INV-000042' }) description: string;
  @ApiProperty() customerId: string;
  @ApiProperty() invoiceId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice.',
  })
  invoiceNumber: string | null;
  @ApiProperty({ example: '2026-01', description: 'The month in which the invoice was opened.' })
  belongsTo: string;
  @ApiProperty({
    description:
      'The change of the earned revenue. The change is above zero for a voided credit note. The deferred revenue that a credit note posts ' +
      'is no change.',
    example: -10,
  })
  amount: number;
}

/** The revenue of the reported months, with a row for each month and currency. */
export class RevenueSummaryView {
  @ApiProperty({ example: '2026-01', description: 'The first month.' }) from: string;
  @ApiProperty({ example: '2026-03', description: 'The last month.' }) to: string;
  @ApiProperty({ type: [MonthRevenueView], description: 'A row for each month and currency.' })
  data: MonthRevenueView[];
  @ApiProperty({
    type: [EarlierMonthChangeView],
    description:
      'The credit notes, voided credit notes and voided invoices of the reported months whose invoices were opened in earlier months. ' +
      'Those that changed only deferred revenue are left out, and so are refunds at the payment processor itself.',
  })
  changesOfEarlierMonths: EarlierMonthChangeView[];
}

export class ClosedMonthView {
  @ApiProperty({ example: '2026-01', description: 'The month.' }) period: string;
  @ApiProperty({ format: 'date-time', description: 'The time when the month was closed.' }) closedAt: string;
  @ApiProperty({
    type: [MonthRevenueView],
    description: 'The frozen revenue figures of the month, by currency.',
  })
  data: MonthRevenueView[];
}

export class WaterfallMonthView {
  @ApiProperty({ example: '2026-02', description: 'The month.' }) month: string;
  @ApiProperty({ example: 100 }) amount: number;
}

/**
 * The bookings of one month in one currency, and the months in which they were earned. Prepaid credits and unbilled revenue have rows of
 * their own.
 */
export class WaterfallRowView {
  @ApiProperty({
    example: '2026-01',
    description:
      'The month in which the invoices were opened. `prepaid_credits`: the row is for bought credits and their use. `unbilled`: the row ' +
      'is for revenue that is not invoiced.',
  })
  booked: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ description: 'The revenue that was booked by the end of `until`.', example: 1200 })
  total: number;
  @ApiProperty({ description: 'The revenue that was earned before `from`.', example: 0 }) before: number;
  @ApiProperty({ type: [WaterfallMonthView], description: 'The revenue that was earned in each month.' })
  months: WaterfallMonthView[];
  @ApiProperty({ description: 'The revenue that is not earned by the end of `until`.', example: 1100 })
  remaining: number;
}

/** The revenue waterfall: for the bookings of each month, the months in which the booked revenue was earned. */
export class WaterfallView {
  @ApiProperty({ example: '2026-01', description: 'The first month.' }) from: string;
  @ApiProperty({ example: '2026-03', description: 'The last month.' }) to: string;
  @ApiProperty({ type: [WaterfallRowView] }) data: WaterfallRowView[];
}

/**
 * The revenue of one customer, plan or price in one currency, in the reported months. The row of other revenue has the id null. The schema
 * is named after contracts, because the accounting standards IFRS 15 and ASC 606 are about revenue from contracts with customers.
 */
export class ContractRevenueView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'cust_northwind',
    description:
      'The id of the customer, the plan or the price. Null for revenue that belongs to no customer, plan or price, or to several.',
  })
  id: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Northwind Ltd',
    description: 'The present name of the customer, the plan or the price. Null if the name is not known.',
  })
  name: string | null;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ description: 'The revenue that was booked in the reported months.', example: 1200 })
  booked: number;
  @ApiProperty({ description: 'The revenue that was earned in the reported months.', example: 100 })
  recognised: number;
  @ApiProperty({
    description: 'The revenue that was invoiced but not yet earned at the end of `until`.',
    example: 1100,
  })
  deferred: number;
  @ApiProperty({
    description: 'The revenue that was earned but not yet invoiced at the end of `until`.',
    example: 0,
  })
  unbilled: number;
}

/** The revenue of the reported months by customer, plan or price. `groupBy` says which of these kinds of resources the rows are for. */
export class ContractsView {
  @ApiProperty({ example: '2026-01', description: 'The first month.' }) from: string;
  @ApiProperty({ example: '2026-03', description: 'The last month.' }) to: string;
  @ApiProperty({ enum: REVENUE_GROUPINGS, description: 'The kind of resource that each row is for.' })
  groupBy: RevenueGrouping;
  @ApiProperty({
    type: [ContractRevenueView],
    description: 'A row for each resource of the kind `groupBy` and each currency.',
  })
  data: ContractRevenueView[];
}
