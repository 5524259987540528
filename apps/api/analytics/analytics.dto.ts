import { ApiProperty } from '@nestjs/swagger';
import { RECEIVABLE_AGES } from '#libs/contexts/invoicing';
import { ChoiceField, CurrencyField, FormerName, IdField, MonthField } from '../http/index.js';

export class CurrencyQuery {
  @CurrencyField({ optional: true, description: 'Selects a currency. Default: all.' })
  currency?: string;
}

export class MrrQuery extends CurrencyQuery {
  @MonthField({
    optional: true,
    description: 'The first month, at most 59 months before `until`. Default: the month of `until`.',
  })
  @FormerName('from')
  since?: string;

  @MonthField({ optional: true, description: 'The last month. Default: the present month in UTC.' })
  @FormerName('to')
  until?: string;
}

export class UsageAnalyticsQuery {
  @MonthField({
    optional: true,
    description: 'The first month, at most 59 months before `until`. Default: the month of `until`.',
  })
  @FormerName('from')
  since?: string;

  @MonthField({ optional: true, description: 'The last month. Default: the present month in UTC.' })
  @FormerName('to')
  until?: string;

  @ChoiceField(['day', 'month'], {
    optional: true,
    description: 'The length of each time window: a day or a month, in UTC.',
  })
  window: 'day' | 'month' = 'month';

  @IdField({ optional: true, description: 'Selects a metric. Default: all.' })
  metricId?: string;

  @IdField({ optional: true, example: 'cust_northwind', description: 'Selects usage of this customer.' })
  customerId?: string;
}

export class MrrMonthView {
  @ApiProperty({ example: '2026-02', description: 'The month.' }) month: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 100, description: 'The monthly recurring revenue at the beginning of the month.' })
  opening: number;
  @ApiProperty({
    example: 30,
    description:
      'The amount that subscriptions added when they were charged a recurring fee for the first time.',
  })
  new: number;
  @ApiProperty({ example: 20, description: 'The amount that changed and resumed subscriptions added.' })
  expansion: number;
  @ApiProperty({
    example: -10,
    description: 'The amount that changed and paused subscriptions took away, as a negative number.',
  })
  contraction: number;
  @ApiProperty({
    example: -5,
    description:
      'The amount that ended subscriptions took away, as a negative number. The amount of a subscription that ended in a pause is in ' +
      '`contraction`.',
  })
  churn: number;
  @ApiProperty({ example: 135, description: 'The monthly recurring revenue at the end of the month.' })
  mrr: number;
}

export class MrrView {
  @ApiProperty({ example: '2026-01', description: 'The first month.' }) from: string;
  @ApiProperty({ example: '2026-03', description: 'The last month.' }) to: string;
  @ApiProperty({ type: [MrrMonthView], description: 'A row for each month and currency.' })
  data: MrrMonthView[];
}

export class UsageWindowView {
  @ApiProperty({ example: 'met_01JD0000000000000000000000', description: 'The metric.' }) metricId: string;
  @ApiProperty({ example: 'API calls', description: 'The name of the metric.' }) name: string;
  @ApiProperty({ format: 'date-time', description: 'The start of the window.' }) start: string;
  @ApiProperty({ format: 'date-time', description: 'The first instant after the window.' }) end: string;
  @ApiProperty({
    example: 1_250,
    description: "The metric's value in the window. If the metric has groups, the value covers all groups.",
  })
  value: number;
}

export class UsageAnalyticsView {
  @ApiProperty({ example: '2026-01', description: 'The first month.' }) from: string;
  @ApiProperty({ example: '2026-03', description: 'The last month.' }) to: string;
  @ApiProperty({ type: [UsageWindowView], description: 'A row for each metric and window with usage.' })
  data: UsageWindowView[];
  @ApiProperty({
    type: [String],
    example: [],
    description:
      'The ids of the metrics that are written in SQL. `data` does not contain them, because such a metric has no value for a time ' +
      'window.',
  })
  leftOut: string[];
}

export class ReceivableAgeView {
  @ApiProperty({
    enum: RECEIVABLE_AGES,
    description: 'How many days ago the invoices were due. `current`: the invoices are not overdue.',
  })
  age: (typeof RECEIVABLE_AGES)[number];
  @ApiProperty({ example: 3, description: 'The number of invoices.' }) invoices: number;
  @ApiProperty({ example: 119, description: 'The amount that is due on these invoices.' }) amount: number;
}

export class ReceivablesCurrencyView {
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 119, description: 'The amount that is due on all open invoices.' }) total: number;
  @ApiProperty({
    type: [ReceivableAgeView],
    description: 'The amounts for each age of invoices, from the newest to the oldest.',
  })
  ages: ReceivableAgeView[];
}

export class ReceivablesView {
  @ApiProperty({ format: 'date-time', description: "The workspace's present time." }) at: string;
  @ApiProperty({ type: [ReceivablesCurrencyView] }) data: ReceivablesCurrencyView[];
}

export class ForecastMonthView {
  @ApiProperty({ example: '2026-04', description: 'The month.' }) month: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    example: 130,
    description:
      'The recurring fees that are expected in the month. A yearly fee counts with a twelfth, and a quarterly fee with a third.',
  })
  fees: number;
  @ApiProperty({
    example: 45.5,
    description: 'The usage revenue that the trend of the last three months predicts.',
  })
  usage: number;
  @ApiProperty({
    example: 24.5,
    description:
      'What the fees and the mean usage of subscriptions lack to their minimum commitments. The minimum of a year counts with a twelfth.',
  })
  minimums: number;
  @ApiProperty({ example: 200, description: 'The sum of `fees`, `usage` and `minimums`.' }) total: number;
}

export class ForecastView {
  @ApiProperty({ type: [String], description: 'What the forecast assumes.', example: ['Nothing is sold.'] })
  assumptions: readonly string[];
  @ApiProperty({ type: [ForecastMonthView], description: 'The next three months, by currency.' })
  data: ForecastMonthView[];
}
