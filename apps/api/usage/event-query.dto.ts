import { ApiProperty } from '@nestjs/swagger';
import { METER_AGGREGATION_TYPES } from '#libs/contexts/catalog';
import { usageBounds, WINDOW_SIZES, type WindowSize } from '#libs/usage';
import {
  ChoiceField,
  IdListField,
  InstantField,
  RuleField,
  TextField,
  TimezoneField,
} from '../http/index.js';

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export class EventQueryBody {
  @TextField({ max: 255, example: 'llm.request' })
  eventName: string;

  @RuleField(
    'isAggregation',
    {
      type: 'object',
      required: ['type'],
      properties: {
        type: {
          type: 'string',
          enum: [...METER_AGGREGATION_TYPES],
          description: 'How the events are aggregated.',
          example: 'sum',
        },
        property: {
          type: 'string',
          maxLength: usageBounds.pathLength,
          description: 'The property to aggregate, as a name or a path with dots. Not for `count`.',
          example: 'tokens',
        },
      },
      additionalProperties: false,
    },
    isObject,
    {
      message: 'must be an object such as {"type": "sum", "property": "tokens"}',
      example: { type: 'count' },
    },
  )
  aggregation: Record<string, unknown>;

  @IdListField({
    optional: true,
    min: 1,
    max: 100,
    description: 'The ids of the customers whose events are included. Default: all customers.',
  })
  customerIds?: string[];

  @InstantField({ description: 'Counts events at this time or later.', example: '2026-01-01T00:00:00Z' })
  startTime: string;

  @InstantField({
    optional: true,
    after: 'startTime',
    description: "Counts events before this time. Default: now, by the workspace's clock.",
    example: '2026-01-31T00:00:00Z',
  })
  endTime?: string;

  @RuleField(
    'isFilter',
    { type: 'object', additionalProperties: true, maxProperties: usageBounds.filterProperties },
    isObject,
    {
      optional: true,
      message: 'must be an object of property paths and the values that they must equal',
      description:
        'Counts only events in which each named property has the given value, or one of the given values. The filter works like the ' +
        'filter of a metric.',
      example: { model: ['large', 'small'] },
    },
  )
  filter?: Record<string, unknown>;

  @RuleField(
    'isGroupBy',
    { type: 'array', items: { type: 'string' }, maxItems: usageBounds.groupByProperties },
    Array.isArray,
    {
      optional: true,
      message: 'must be a list of property names or dot paths',
      description:
        'The properties to group by. Each combination of the values of these properties has its own result.',
      example: ['region'],
    },
  )
  groupBy?: string[];

  @ChoiceField(WINDOW_SIZES, {
    optional: true,
    description:
      'The size of the time windows. Each time window with events has its own result. Default: one result for the whole range.',
  })
  windowSize?: WindowSize;

  @TimezoneField({
    optional: true,
    description: 'The time zone in which the time windows begin and end. Default: UTC.',
  })
  windowTimeZone?: string;
}

export class EventQueryRow {
  @ApiProperty({ format: 'date-time', description: 'The first moment of the window.' }) windowStart: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The first moment after the window.',
    example: '2026-02-01T00:00:00.000Z',
  })
  windowEnd: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { region: 'eu' },
    description: 'The values of `groupBy`, by property.',
  })
  group: Record<string, string>;
  @ApiProperty({ description: 'The result of the aggregation.', example: 4808 }) value: number;
}

export class EventQueryView {
  @ApiProperty({ type: [EventQueryRow] }) data: EventQueryRow[];
}
