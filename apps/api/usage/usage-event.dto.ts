import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { FINDING_CODES, usageLimits } from '#libs/usage';
import { ListView } from '../http/index.js';

/** One usage event. Read by libs/usage, event by event, so that one that is wrong does not stop the others. */
export class UsageEventBody {
  @ApiProperty({ maxLength: 128, pattern: '^[A-Za-z0-9_.:-]+$', example: 'cust_northwind' })
  customerId: string;

  @ApiProperty({
    minLength: 1,
    maxLength: usageLimits.eventNameLength,
    example: 'llm.request',
    description: 'The event name that metrics use.',
  })
  eventName: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'Kept to the microsecond. Default: the time of ingestion. At most 5 minutes ahead of the ' +
      "workspace's clock, and 35 days behind it; for past periods required, and as far behind as need be.",
  })
  timestamp?: string;

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: usageLimits.idempotencyKeyLength,
    example: 'request-4711',
    description: 'Events with the same key count once; a repetition answers the id of the first.',
  })
  idempotencyKey?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { model: 'large', contextTokens: 4808 },
    description:
      'Values that metrics aggregate, filter and group by. Numbers keep every digit. At most ' +
      `${usageLimits.propertiesDepth} levels deep and ${usageLimits.propertiesBytes} bytes as JSON.`,
  })
  properties?: Record<string, unknown>;
}

@ApiExtraModels(UsageEventBody)
export class UsageBatchBody {
  @ApiProperty({ type: [UsageEventBody], description: 'The events.' })
  events: UsageEventBody[];
}

/** The three forms of the body of POST /v1/events. */
export const usageBodySchema = {
  oneOf: [
    { $ref: getSchemaPath(UsageEventBody) },
    { type: 'array', items: { $ref: getSchemaPath(UsageEventBody) } },
    { $ref: getSchemaPath(UsageBatchBody) },
  ],
};

export class RejectedEventView {
  @ApiProperty({ description: "The event's place in the request, from 0.", type: 'integer', example: 0 })
  index: number;
  @ApiProperty({
    anyOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'null' },
    ] as object[],
    description: 'The event as it was sent; of one of more than 20,000 characters, only its short fields.',
    example: { customerId: 'cust_x', eventName: 'llm.request' },
  })
  event: unknown;
  @ApiProperty({ example: 'customer_not_found', description: 'Why, for programs.' }) code: string;
  @ApiProperty({ example: 'No customer "cust_x" in this workspace', description: 'Why, for people.' })
  reason: string;
  @ApiPropertyOptional({ example: 'customerId', description: 'The field that is wrong, if it is about one.' })
  field?: string;
}

/** Events of one name that were stored and are not counted, for one reason. */
export class UnmatchedWarningView {
  @ApiProperty({
    enum: FINDING_CODES,
    description:
      '`no_metric`: no metric has the event name. `filtered_out`: the filters of all that have it leave the events out. ' +
      '`property_missing`, `property_not_numeric`, `property_not_scalar`: the metric skips them, since they have nothing at its property, ' +
      'no number (`sum`, `max`), or nothing that can be told apart (`count_distinct`).',
  })
  code: string;
  @ApiProperty({
    example:
      'Metric met_01JD0000000000000000000000 skips these events of the name "llm.request", since they have no property "tokens"',
  })
  reason: string;
  @ApiProperty({ example: 'llm.request' }) eventName: string;
  @ApiPropertyOptional({
    example: 'met_01JD0000000000000000000000',
    description: 'The metric that skips them.',
  })
  metricId?: string;
  @ApiPropertyOptional({ example: 'tokens', description: 'The property that it looks at.' })
  property?: string;
  @ApiProperty({ type: 'integer', example: 2, description: 'How many events.' }) count: number;
  @ApiProperty({
    type: [String],
    maxItems: 10,
    example: ['use_01JD0000000000000000000000'],
    description: 'The first of their ids.',
  })
  eventIds: readonly string[];
}

export class IngestView {
  @ApiProperty({
    type: [String],
    example: ['use_01JD0000000000000000000000'],
    description: 'Ids of the stored events, in the order of the request.',
  })
  accepted: string[];

  @ApiProperty({
    type: [RejectedEventView],
    description: 'Events that are not stored, each with the reason.',
  })
  rejected: RejectedEventView[];

  @ApiProperty({
    type: [UnmatchedWarningView],
    maxItems: 50,
    example: [],
    description:
      'Accepted events that no metric counts, or that a metric skips, by event name and reason. They are stored, and ' +
      'counted once a metric counts them.',
  })
  warnings: readonly UnmatchedWarningView[];
}

export class StoredEventView {
  @ApiProperty({ example: 'use_01JD0000000000000000000000' }) id: string;
  @ApiProperty() customerId: string;
  @ApiProperty() eventName: string;
  @ApiProperty({ format: 'date-time' }) timestamp: string;
  @ApiProperty({ type: String, nullable: true }) idempotencyKey: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true }) properties: Record<string, unknown>;
  @ApiProperty({ format: 'date-time', description: "When it was stored, by the world's clock." })
  ingestedAt: string;
  @ApiProperty({
    type: [String],
    example: ['met_01JD0000000000000000000000'],
    description:
      'The metrics that count events of this name, where their filters let them. With none it is on no invoice, until there is one.',
  })
  metricIds: string[];
  @ApiProperty({
    type: [String],
    example: [],
    description:
      'Those of them that do not count it, since it has no usable value at their property: no number for `sum` and `max`, ' +
      'nothing to tell apart for `count_distinct`.',
  })
  skippedBy: string[];
  @ApiProperty({
    type: [String],
    example: [],
    description: 'Those of them whose filters leave it out.',
  })
  filteredBy: string[];
}

export class StoredEventList extends ListView {
  @ApiProperty({ type: [StoredEventView] }) data: StoredEventView[];
}
