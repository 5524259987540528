import { ApiProperty } from '@nestjs/swagger';
import { AGGREGATION_TYPES } from '#libs/contexts/catalog';

class UsageDayView {
  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'The day in `timezone`.' }) date: string;
  @ApiProperty({ example: 1500, description: 'The usage of the day, which is 0 if there was no usage.' })
  quantity: number;
}

class MetricUsageView {
  @ApiProperty({ example: 'met_01JD0000000000000000000000', description: 'The id of the metric.' })
  metricId: string;
  @ApiProperty({ example: 'API units', description: 'The name of the metric.' }) name: string;
  @ApiProperty({
    enum: [...AGGREGATION_TYPES],
    example: 'sum',
    description:
      'The aggregation by which events become usage. The days of `count` and `sum` add up to the total. The days of `max` and ' +
      '`count_distinct` do not add up to the total.',
  })
  aggregation: (typeof AGGREGATION_TYPES)[number];
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 4500,
    description: 'The usage of the period until now. Null if the usage cannot be measured.',
  })
  total: number | null;
  @ApiProperty({
    type: [UsageDayView],
    description:
      'The usage of each day of the period until today, in order. Empty if the aggregation is `sql`, because such a metric is measured ' +
      'for the whole period only.',
  })
  days: UsageDayView[];
}

/** The usage of the present period, ready for charts. */
export class PortalUsageView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'sub_01JD0000000000000000000000',
    description:
      'The id of the subscription. If the customer has no subscription, the id is null and the period is the calendar month. The period ' +
      'is also the calendar month if the subscription has no period now, for example during a pause.',
  })
  subscriptionId: string | null;
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time' }) periodEnd: string;
  @ApiProperty({ example: 'UTC', description: 'The time zone of the days.' }) timezone: string;
  @ApiProperty({
    type: [MetricUsageView],
    description: 'The metrics that prices charge for, that measure features, or that cost credits.',
  })
  metrics: MetricUsageView[];
}
