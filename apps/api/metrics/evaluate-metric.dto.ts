import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BodyExample, IdField, InstantField, RuleField, TextField } from '../http/index.js';
import { AggregationView } from './metric.dto.js';

export const MAX_SAMPLE_EVENTS = 1_000;

class SampleEventView {
  @ApiPropertyOptional({ type: String, description: 'Counts only if it is that of the metric.' })
  eventName?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Default: now.' })
  timestamp?: string;
  @ApiPropertyOptional({ type: String, description: 'Of equal ones only the first event counts.' })
  idempotencyKey?: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { tokens: 20 },
    description: 'Values that it aggregates, filters and groups by.',
  })
  properties?: Record<string, unknown>;
}

@BodyExample({
  aggregation: { type: 'sum', property: 'tokens' },
  events: [{ properties: { tokens: 20 } }, { properties: { tokens: 100 } }],
})
export class EvaluateMetricBody {
  @IdField({ optional: true, description: 'A metric as it is in force. This or `aggregation`.' })
  metricId?: string;

  @RuleField(
    'isAggregation',
    { type: () => AggregationView },
    (value) => typeof value === 'object' && value !== null,
    {
      optional: true,
      message: 'must be an object such as {"type": "count"}',
      description: 'As a metric has it. This or `metricId`.',
    },
  )
  aggregation?: unknown;

  @TextField({
    max: 10_000,
    optional: true,
    nullable: true,
    description: 'With `aggregation`, if its type is `sql`.',
    example: "sum(number(properties->'tokens'))",
  })
  sql?: string | null;

  @TextField({ max: 255, optional: true, description: 'With `aggregation`. Default: events of any name.' })
  eventName?: string;

  @RuleField(
    'isSampleEvents',
    { type: () => SampleEventView, isArray: true, maxItems: MAX_SAMPLE_EVENTS },
    (value) => Array.isArray(value) && value.length <= MAX_SAMPLE_EVENTS,
    {
      message: `must be a list of at most ${MAX_SAMPLE_EVENTS} events such as {"properties": {"tokens": 20}}`,
      description: 'As of one customer. A customerId is taken and not looked at.',
    },
  )
  events: unknown[];

  @InstantField({ optional: true, description: 'Only events at or after.' })
  startTime?: string;

  @InstantField({ optional: true, after: 'startTime', description: 'Only events before.' })
  endTime?: string;
}

class SampleGroupView {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { region: 'eu' },
    description: 'Values by property; one that the events do not have is left out.',
  })
  group: Record<string, string>;
  @ApiProperty({ type: Number, example: 120 }) quantity: number;
}

export class EvaluatedMetricView {
  @ApiProperty({
    type: [SampleGroupView],
    description: 'One for each combination of groupBy values; without groupBy exactly one.',
  })
  groups: SampleGroupView[];
  @ApiProperty({ type: 'integer', description: 'Events that counted.', example: 2 }) events: number;
  @ApiProperty({
    type: 'integer',
    description: "Events that matched but had no usable value at the metric's property.",
    example: 0,
  })
  skipped: number;
}
