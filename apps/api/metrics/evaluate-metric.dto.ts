import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BodyExample, IdField, InstantField, RuleField, TextField } from '../http/index.js';
import { AggregationView } from './metric.dto.js';

export const MAX_SAMPLE_EVENTS = 1_000;

class SampleEventView {
  @ApiPropertyOptional({
    type: String,
    description:
      'The name of the event. The event is counted only if the metric counts events with this name. An event without a name is counted ' +
      'for any metric.',
  })
  eventName?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Default: now.' })
  timestamp?: string;
  @ApiPropertyOptional({
    type: String,
    description:
      'The key of the event. If several events have the same key, only the first of these events is counted.',
  })
  idempotencyKey?: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { tokens: 20 },
    description: 'The properties of the event, which the metric aggregates, filters and groups by.',
  })
  properties?: Record<string, unknown>;
}

@BodyExample({
  aggregation: { type: 'sum', property: 'tokens' },
  events: [{ properties: { tokens: 20 } }, { properties: { tokens: 100 } }],
})
export class EvaluateMetricBody {
  @IdField({
    optional: true,
    description: 'The id of a metric, whose present version is tried. Give either this or `aggregation`.',
  })
  metricId?: string;

  @RuleField(
    'isAggregation',
    { type: () => AggregationView },
    (value) => typeof value === 'object' && value !== null,
    {
      optional: true,
      message: 'must be an object such as {"type": "count"}',
      description: 'An aggregation, in the form that a metric has. Give either this or `metricId`.',
    },
  )
  aggregation?: unknown;

  @TextField({
    max: 10_000,
    optional: true,
    nullable: true,
    description: 'The SQL, if the type of `aggregation` is `sql`.',
    example: "sum(number(properties->'tokens'))",
  })
  sql?: string | null;

  @TextField({
    max: 255,
    optional: true,
    description: 'The name of the events that `aggregation` counts. Default: events of any name.',
  })
  eventName?: string;

  @RuleField(
    'isSampleEvents',
    { type: () => SampleEventView, isArray: true, maxItems: MAX_SAMPLE_EVENTS },
    (value) => Array.isArray(value) && value.length <= MAX_SAMPLE_EVENTS,
    {
      message: `must be a list of at most ${MAX_SAMPLE_EVENTS} events such as {"properties": {"tokens": 20}}`,
      description:
        'The sample events, treated as events of one customer. The `customerId` of an event must be valid, but has no effect.',
    },
  )
  events: unknown[];

  @InstantField({ optional: true, description: 'Counts only events at this time or later.' })
  startTime?: string;

  @InstantField({ optional: true, after: 'startTime', description: 'Counts only events before this time.' })
  endTime?: string;
}

class SampleGroupView {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { region: 'eu' },
    description:
      'The value of each `groupBy` property in this group. Properties that the events do not have are left out.',
  })
  group: Record<string, string>;
  @ApiProperty({ type: Number, example: 120 }) quantity: number;
}

export class EvaluatedMetricView {
  @ApiProperty({
    type: [SampleGroupView],
    description:
      'One entry for each combination of the values of the `groupBy` properties. Without groupBy, exactly one entry.',
  })
  groups: SampleGroupView[];
  @ApiProperty({ type: 'integer', description: 'The number of counted events.', example: 2 }) events: number;
  @ApiProperty({
    type: 'integer',
    description:
      "The number of events that matched the metric but had no usable value for the metric's property. Always 0 for the type `sql`.",
    example: 0,
  })
  skipped: number;
}
