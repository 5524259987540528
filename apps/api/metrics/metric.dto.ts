import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { AGGREGATION_TYPES } from '#libs/contexts/catalog';
import { usageLimits } from '#libs/usage';
import {
  BodyExample,
  LineField,
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

/** Which aggregations need a property: `count` may have one, and looks for nothing there. */
const TYPES: Readonly<Record<(typeof AGGREGATION_TYPES)[number], Omit<Variant, 'name' | 'is'>>> = {
  count: { description: 'How many events.', optional: ['property'] },
  sum: { description: 'The sum of the numbers at the property.', required: ['property'] },
  max: { description: 'The greatest of the numbers at the property.', required: ['property'] },
  count_distinct: { description: 'How many different values are at the property.', required: ['property'] },
  sql: { description: 'What the `sql` beside it comes to.' },
};

/** The schema of each type: `CountDistinctAggregationView`. */
const VARIANTS = AGGREGATION_TYPES.map((type) => ({
  ...TYPES[type],
  name: `${type.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}AggregationView`,
  is: type,
}));

/** How events become a quantity; read by the catalog, which names what is wrong with it field by field. */
@OneOf(VARIANTS, 'type')
export class AggregationView {
  @ApiProperty({ enum: [...AGGREGATION_TYPES], description: '`sql` goes with the field of that name.' })
  type: string;

  @ApiPropertyOptional({
    maxLength: usageLimits.pathLength,
    example: 'usage.tokens',
    description: 'Property to aggregate, as a name or dot path; required for sum, max and count_distinct.',
  })
  property?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    maxProperties: usageLimits.filterProperties,
    example: { model: ['large', 'small'], cached: false },
    description: 'Only events whose properties equal the value, or one of the values, are aggregated.',
  })
  filter?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: [String],
    maxItems: usageLimits.groupByProperties,
    example: ['region'],
    description: 'A quantity for each value of these.',
  })
  groupBy?: string[];
}

@BodyExample(METRIC)
export class CreateMetricBody {
  @LineField({ max: 200, example: 'API requests', description: 'Its name.' })
  name: string;

  @TextField({
    max: 1_000,
    optional: true,
    nullable: true,
    description: 'What it counts, for yourself.',
    example: 'Requests of the public API',
  })
  description?: string | null;

  @LineField({
    max: 255,
    optional: true,
    description: 'The events that it measures. Default: `name`.',
    example: 'api_request',
  })
  eventName?: string;

  @RuleField(
    'isAggregation',
    { type: () => AggregationView },
    (value) => typeof value === 'object' && value !== null,
    {
      message: 'must be an object such as {"type": "count"}',
      description: 'A change replaces the whole aggregation.',
    },
  )
  aggregation: unknown;

  @TextField({
    max: 10_000,
    optional: true,
    nullable: true,
    description:
      'For an aggregation of type `sql`: a SELECT of one value from `events`, or the expression of one. `events` are those of one customer and ' +
      'period, with the columns id, timestamp, properties (jsonb), customer_id and event_name; `number(…)` reads the number at a property.',
    example: "sum(number(properties->'tokens')) FILTER (WHERE properties->>'model' = 'large')",
  })
  sql?: string | null;
}

/** Only the fields to change. */
@BodyExample(METRIC)
export class UpdateMetricBody extends PartialType(CreateMetricBody, { skipNullProperties: false }) {}

export class MetricView {
  @ApiProperty({ example: 'met_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ description: 'Its name.', example: 'API requests' }) name: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ description: 'A change of name leaves it as it is.' }) eventName: string;
  @ApiProperty() aggregation: AggregationView;
  @ApiPropertyOptional({
    type: String,
    description: 'Of an aggregation of type `sql`.',
    example: "sum(number(properties->'tokens'))",
  })
  sql?: string;
  @ApiProperty({ description: 'Each change makes a new version.', type: 'integer' }) version: number;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time', description: 'When this version was made.' }) updatedAt: string;
}

export class MetricList extends ListView {
  @ApiProperty({ type: [MetricView] }) data: MetricView[];
}
