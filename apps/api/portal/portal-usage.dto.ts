import { ApiProperty } from '@nestjs/swagger';
import { AGGREGATION_TYPES } from '#libs/contexts/catalog';

class UsageDayView {
  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'The day in `timezone`.' }) date: string;
  @ApiProperty({ example: 1500, description: 'The usage of the day. 0 if there was none.' }) quantity: number;
}

class MetricUsageView {
  @ApiProperty({ example: 'met_01JD0000000000000000000000', description: 'The id of the metric.' })
  metricId: string;
  @ApiProperty({ example: 'API units', description: 'The name of the metric.' }) name: string;
  @ApiProperty({
    enum: [...AGGREGATION_TYPES],
    example: 'sum',
    description:
      'How events become usage. The days of `count` and `sum` add up to the total. Those of `max` and `count_distinct` do not.',
  })
  aggregation: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 4500,
    description: 'The usage of the period until now. Null if it cannot be measured.',
  })
  total: number | null;
  @ApiProperty({
    type: [UsageDayView],
    description:
      'Each day of the period until today, in order. Empty for `sql`, which is measured for the whole period only.',
  })
  days: UsageDayView[];
}

/** The usage of the present period, ready for charts. */
export class PortalUsageView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'sub_01JD0000000000000000000000',
    description: 'The id of the subscription. Null if the customer has none; the period is the month then.',
  })
  subscriptionId: string | null;
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time' }) periodEnd: string;
  @ApiProperty({ example: 'UTC', description: 'The time zone of the days.' }) timezone: string;
  @ApiProperty({
    type: [MetricUsageView],
    description: 'The metrics that are charged, that features count, or that cost credits.',
  })
  metrics: MetricUsageView[];
}
