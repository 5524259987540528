import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath, OmitType } from '@nestjs/swagger';
import { KEY_REUSED, REJECTION_CODES, UNCOUNTED_REASON_CODES, UNPRICED, usageBounds } from '#libs/usage';
import { ListView } from '../http/index.js';

/** One usage event. `libs/usage` reads each event separately, so that an invalid event does not affect the other events. */
export class UsageEventBody {
  @ApiProperty({ maxLength: 128, pattern: '^[A-Za-z0-9_.:-]+$', example: 'cust_northwind' })
  customerId: string;

  @ApiProperty({
    minLength: 1,
    maxLength: usageBounds.eventNameLength,
    example: 'llm.request',
    description: 'The name of the event, by which metrics select events.',
  })
  eventName: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'The time of the event, stored to the microsecond. Default: the time of ingestion. The time may be at most 5 minutes after and 35 ' +
      "days before the workspace's clock. For `POST /v1/events/backfill` the time is required, and may be earlier than these 35 days.",
  })
  timestamp?: string;

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: usageBounds.idempotencyKeyLength,
    example: 'request-4711',
    description:
      'If several events have the same key, only the first of these events is counted. The response to a repetition has the id of the ' +
      'first event.',
  })
  idempotencyKey?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { model: 'large', contextTokens: 4808 },
    description:
      'The properties that metrics aggregate, filter and group by. Numbers keep every digit. At most ' +
      `${usageBounds.propertiesDepth} levels deep and ${usageBounds.propertiesBytes} bytes as JSON.`,
  })
  properties?: Record<string, unknown>;
}

@ApiExtraModels(UsageEventBody)
export class UsageBatchBody {
  @ApiProperty({ type: [UsageEventBody], description: 'The events.' })
  events: UsageEventBody[];
}

/** The three forms of the body of `POST /v1/events`: one event, a list, or an object with a list. */
export const usageBodySchema = {
  oneOf: [
    { $ref: getSchemaPath(UsageEventBody) },
    { type: 'array', items: { $ref: getSchemaPath(UsageEventBody) } },
    { $ref: getSchemaPath(UsageBatchBody) },
  ],
};

class WrongFieldView {
  @ApiProperty({ example: 'customerId', description: 'The path of the field in the event.' }) field: string;
  @ApiProperty({
    example: 'No customer "cust_x" in this workspace',
    description: 'The requirement that the field does not meet.',
  })
  message: string;
}

export class RejectedEventView {
  @ApiProperty({ description: 'The index of the event in the request, from 0.', type: 'integer', example: 0 })
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
    description:
      'The event in the form in which it was sent. If the event has more than 20,000 characters, only its short fields are shown.',
    example: { customerId: 'cust_x', eventName: 'llm.request' },
  })
  event: unknown;
  @ApiProperty({
    enum: REJECTION_CODES,
    example: 'customer_not_found',
    description: 'The reason for the rejection, as a code for programs, as in an error.',
  })
  code: (typeof REJECTION_CODES)[number];
  @ApiProperty({
    example: 'No customer "cust_x" in this workspace',
    description: 'The reason for the rejection, as a text for people, as in an error.',
  })
  error: string;
  @ApiProperty({
    example: 'No customer "cust_x" in this workspace',
    description: 'The same text as `error`.',
  })
  reason: string;
  @ApiPropertyOptional({
    type: [WrongFieldView],
    description: 'The wrong field, as in an error. Absent if the rejection is not about a field.',
  })
  details?: WrongFieldView[];
  @ApiPropertyOptional({
    example: 'customerId',
    description: 'The name of the wrong field. Absent if the rejection is not about a field.',
  })
  field?: string;
}

/** A group of stored events that have one name and that are not counted or not charged, all for one reason. */
export class UnmatchedWarningView {
  @ApiProperty({
    enum: [...UNCOUNTED_REASON_CODES, UNPRICED, KEY_REUSED],
    description:
      '`no_metric`: no metric has the event name. `filtered_out`: the filters of all metrics for this event name exclude the events. The ' +
      'other codes are for events that a metric skips. `property_missing`: the events do not have the property of the metric. ' +
      '`property_not_numeric`: the value is neither a number nor a text with a number (`sum`, `max`). ' +
      '`property_not_scalar`: the value is not a text, a number or a boolean (`count_distinct`). ' +
      '`unpriced`: the metric counts the events, and no price of a subscription of their customer and no credits charge them. ' +
      '`key_reused_with_other_content`: the events are not stored, because an earlier event with another customer, name or properties ' +
      'has their `idempotencyKey`. `eventIds` then has the ids of the earlier events.',
  })
  code: (typeof UNCOUNTED_REASON_CODES)[number] | typeof UNPRICED | typeof KEY_REUSED;
  @ApiProperty({
    example:
      'Metric met_01JD0000000000000000000000 skips these events of the name "llm.request", since they have no property "tokens"',
  })
  reason: string;
  @ApiProperty({ example: 'llm.request' }) eventName: string;
  @ApiPropertyOptional({
    example: 'met_01JD0000000000000000000000',
    description:
      'The id of the metric that skips the events, or that counts unpriced events. Absent for other codes.',
  })
  metricId?: string;
  @ApiPropertyOptional({
    example: 'tokens',
    description:
      'The property of the events that the metric reads. Absent if the code is not about a property.',
  })
  property?: string;
  @ApiProperty({ type: 'integer', example: 2, description: 'The number of events.' }) count: number;
  @ApiProperty({
    type: [String],
    maxItems: 10,
    example: ['use_01JD0000000000000000000000'],
    description: 'The ids of the first events of the group.',
  })
  eventIds: readonly string[];
}

export class IngestView {
  @ApiProperty({
    type: [String],
    example: ['use_01JD0000000000000000000000'],
    description: 'The ids of the stored events, in the order of the request.',
  })
  accepted: string[];

  @ApiProperty({
    type: [RejectedEventView],
    description: 'The events that are not stored, each with the reason for its rejection.',
  })
  rejected: RejectedEventView[];

  @ApiProperty({
    type: [UnmatchedWarningView],
    maxItems: 150,
    example: [],
    description:
      'The accepted events that no metric counts, that a metric skips or that nothing charges, by event name and reason. These events are stored. If a metric ' +
      'is made or changed later so that it counts such events, the stored events are counted too. Also the events that are not stored, ' +
      'because their key was used for another event.',
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
  @ApiProperty({
    format: 'date-time',
    description: 'The time when the event was stored, in real time, not by the clock of the workspace.',
  })
  ingestedAt: string;
  @ApiProperty({
    type: [String],
    example: ['met_01JD0000000000000000000000'],
    description:
      'The ids of the metrics for events of this name. A metric is listed even if its filter excludes the event. ' +
      'An event without a metric is on no invoice until a metric counts it.',
  })
  metricIds: string[];
  @ApiProperty({
    type: [String],
    example: [],
    description:
      "The ids of the metrics that skip the event, because the metric's property has no usable value in the event. `sum` and `max` " +
      'need a number or a text with a number, `count_distinct` needs a text, a number or a boolean.',
  })
  skippedBy: string[];
  @ApiProperty({
    type: [String],
    example: [],
    description: 'The ids of the metrics whose filters exclude the event.',
  })
  filteredBy: string[];
}

/** A usage event in the export of a customer's data. */
export class ExportedUsageEventView extends OmitType(StoredEventView, [
  'metricIds',
  'skippedBy',
  'filteredBy',
] as const) {}

export class StoredEventList extends ListView {
  @ApiProperty({ type: [StoredEventView] }) data: StoredEventView[];
}
