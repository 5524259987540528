import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { AGGREGATION_TYPES } from '#libs/contexts/catalog';
import type { NameTranslations } from '#libs/kernel/core';
import { usageBounds } from '#libs/usage';
import {
  BodyExample,
  NameTranslationsField,
  NameTranslationsProperty,
  SingleLineField,
  ListView,
  OneOf,
  RuleField,
  TextField,
  type Variant,
} from '../http/index.js';

const METRIC = {
  name: 'Tokens',
  eventName: 'llm.request',
  aggregation: {
    type: 'sum',
    property: 'usage.tokens',
    filter: { model: ['large', 'small'] },
    groupBy: ['region'],
  },
};

/**
 * The aggregation types, each with its description and whether it needs a property. An aggregation of the type `count` may have a property,
 * but does not use the property.
 */
const TYPES: Readonly<Record<(typeof AGGREGATION_TYPES)[number], Omit<Variant, 'name' | 'is'>>> = {
  count: { description: 'The number of events.', optional: ['property'] },
  sum: { description: 'The sum of the numeric values of the property.', required: ['property'] },
  max: { description: 'The largest numeric value of the property.', required: ['property'] },
  count_distinct: { description: 'The number of different values of the property.', required: ['property'] },
  sql: { description: 'The result of the SQL in the field `sql`.' },
};

/** The name of the OpenAPI schema of each aggregation type, such as `CountDistinctAggregationView`. */
const VARIANTS = AGGREGATION_TYPES.map((type) => ({
  ...TYPES[type],
  name: `${type.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}AggregationView`,
  discriminatorValue: type,
}));

/**
 * The aggregation by which a metric computes a quantity from usage events. The catalog context validates the aggregation, and its error
 * names every wrong field.
 */
@OneOf(VARIANTS, 'type')
export class AggregationView {
  @ApiProperty({
    enum: [...AGGREGATION_TYPES],
    description: 'The type of aggregation. `sql` needs the field `sql`.',
  })
  type: (typeof AGGREGATION_TYPES)[number];

  @ApiPropertyOptional({
    maxLength: usageBounds.pathLength,
    example: 'usage.tokens',
    description:
      'The property to aggregate, as a name or a path with dots, such as `request.size`. Required for sum, max and ' +
      'count_distinct. Absent if a count has none.',
  })
  property?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    maxProperties: usageBounds.filterProperties,
    example: { model: ['large', 'small'], cached: false },
    description:
      'Aggregates only events whose properties have the given value, or one of the given values. Absent if all events count.',
  })
  filter?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: [String],
    maxItems: usageBounds.groupByProperties,
    example: ['region'],
    description:
      'The properties to group by. Each combination of the values of these properties has a quantity of its own. Absent if there are no groups.',
  })
  groupBy?: readonly string[];
}

@BodyExample(METRIC)
export class CreateMetricBody {
  @SingleLineField({ max: 200, example: 'API requests', description: 'The name of the metric.' })
  name: string;

  @NameTranslationsField()
  nameTranslations?: NameTranslations | null;

  @TextField({
    max: 1_000,
    optional: true,
    nullable: true,
    description: 'A note for yourself about what the metric counts.',
    example: 'Requests of the public API',
  })
  description?: string | null;

  @SingleLineField({
    max: 255,
    optional: true,
    description: 'The name of the events that the metric counts. Default: `name`.',
    example: 'api_request',
  })
  eventName?: string;

  @RuleField(
    'isAggregation',
    { type: () => AggregationView },
    (value) => typeof value === 'object' && value !== null,
    {
      message: 'must be an object such as {"type": "count"}',
      description:
        'A change of this field replaces the whole aggregation. If the type stays `sql`, the SQL stays too, unless `sql` is given.',
    },
  )
  aggregation: unknown;

  @TextField({
    max: 10_000,
    optional: true,
    nullable: true,
    description:
      'For an aggregation of type `sql`: a SELECT of one value from `events`, or an expression for one value. `events` holds the ' +
      'events of one customer and period that have the `eventName` and pass the `filter`, with the columns id, timestamp, properties ' +
      '(jsonb), customer_id and event_name. `number(…)` reads the number at a property.',
    example: "sum(number(properties->'tokens')) FILTER (WHERE properties->>'model' = 'large')",
  })
  sql?: string | null;
}

/** The fields to change. A field that is left out stays as it is. */
@BodyExample(METRIC)
export class UpdateMetricBody extends PartialType(CreateMetricBody, { skipNullProperties: false }) {}

export class MetricView {
  @ApiProperty({ example: 'met_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ description: 'The name of the metric.', example: 'API requests' }) name: string;
  @NameTranslationsProperty() nameTranslations: NameTranslations;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({
    description:
      "The name of the events that the metric counts. A change of the metric's `name` does not change the event name.",
  })
  eventName: string;
  @ApiProperty() aggregation: AggregationView;
  @ApiPropertyOptional({
    type: String,
    description: 'The SQL of an aggregation of type `sql`. Absent for other types.',
    example: "sum(number(properties->'tokens'))",
  })
  sql?: string;
  @ApiProperty({
    description: 'The number of the version. Each change of the metric makes a new version.',
    type: 'integer',
  })
  version: number;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time', description: 'The time when this version of the metric was made.' })
  updatedAt: string;
}

export class MetricList extends ListView {
  @ApiProperty({ type: [MetricView] }) data: MetricView[];
}
