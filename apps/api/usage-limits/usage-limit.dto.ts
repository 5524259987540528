import { ApiProperty } from '@nestjs/swagger';
import {
  LIMIT_ACTIONS,
  LIMIT_WINDOW_KINDS,
  MAX_WARNINGS,
  type LimitAction,
  type LimitWindowKind,
} from '#libs/contexts/usage-limits';
import {
  BodyExample,
  ChoiceField,
  DecimalField,
  DecimalListField,
  IdField,
  SingleLineField,
  ListView,
  PageQuery,
} from '../http/index.js';

const LIMIT = 'The largest quantity of the metric within the span of time.';
const PER =
  "The time span within which usage is added up: a `day` or `month` in the customer's time zone, a billing `period` of the " +
  'subscription that charges for the metric, or the `lifetime` of the customer. Without such a subscription, a `period` is a calendar month.';
const ACTION =
  'What happens to usage beyond the limit. `block`: an event that would exceed the limit is refused as a whole with ' +
  '`usage_limit_reached`. `notify`: events beyond the limit are stored.';
const WARN_AT =
  'The fractions of the limit, above 0 and below 1, at which a webhook `usage.limit` is sent. ' +
  'The webhook is always sent at the limit itself.';

@BodyExample({
  customerId: 'cust_northwind',
  metricId: 'met_01JD0000000000000000000000',
  limit: 1_000,
  per: 'month',
  action: 'block',
  warnAt: [0.8],
})
export class CreateUsageLimitBody {
  @IdField({
    optional: true,
    nullable: true,
    example: 'cust_northwind',
    description: 'The id of the customer. Default null: the limit applies to each customer of the workspace.',
  })
  customerId?: string | null;

  @IdField({
    example: 'met_01JD0000000000000000000000',
    description:
      'The id of the metric, of any type but `sql`. All groups of the metric are counted together.',
  })
  metricId: string;

  @DecimalField({ min: 0, example: 1_000, description: LIMIT })
  limit: string;

  @ChoiceField(LIMIT_WINDOW_KINDS, { example: 'month', description: PER })
  per: LimitWindowKind;

  @ChoiceField(LIMIT_ACTIONS, { example: 'block', description: ACTION })
  action: LimitAction;

  @DecimalListField({
    max: MAX_WARNINGS,
    optional: true,
    example: [0.8],
    description: `${WARN_AT} Default: none.`,
  })
  warnAt?: string[];
}

@BodyExample({ limit: 2_000 })
export class UpdateUsageLimitBody {
  @DecimalField({ min: 0, optional: true, example: 2_000, description: LIMIT })
  limit?: string;

  @ChoiceField(LIMIT_ACTIONS, { optional: true, example: 'notify', description: ACTION })
  action?: LimitAction;

  @DecimalListField({ max: MAX_WARNINGS, optional: true, example: [0.5, 0.9], description: WARN_AT })
  warnAt?: string[];
}

export class UsageLimitQuery extends PageQuery {
  @IdField({
    optional: true,
    example: 'cust_northwind',
    description: 'Selects the limits that are for this customer only.',
  })
  customerId?: string;

  @IdField({
    optional: true,
    example: 'met_01JD0000000000000000000000',
    description: 'Selects the limits on this metric.',
  })
  metricId?: string;
}

export class UsageLimitView {
  @ApiProperty({ example: 'lim_01JD0000000000000000000000', description: 'The id of the limit.' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'cust_northwind',
    description: 'The id of the customer. If null, the limit applies to each customer of the workspace.',
  })
  customerId: string | null;
  @ApiProperty({ example: 'met_01JD0000000000000000000000', description: 'The id of the metric.' })
  metricId: string;
  @ApiProperty({ type: Number, example: 1_000, description: LIMIT }) limit: number;
  @ApiProperty({ enum: [...LIMIT_WINDOW_KINDS], example: 'month', description: PER }) per: LimitWindowKind;
  @ApiProperty({ enum: [...LIMIT_ACTIONS], example: 'block', description: ACTION }) action: LimitAction;
  @ApiProperty({ type: [Number], example: [0.8], description: WARN_AT }) warnAt: number[];
  @ApiProperty({ format: 'date-time', description: 'The time at which the limit was created.' })
  createdAt: string;
}

/** A usage limit in the export of a customer's data. */
export class ExportedUsageLimitView extends UsageLimitView {
  @ApiProperty({ example: false, description: 'Whether the limit was deleted.' }) deleted: boolean;
}

export class UsageLimitList extends ListView {
  @ApiProperty({ type: [UsageLimitView], description: 'The limits.' }) data: UsageLimitView[];
}

export class CustomerUsageLimitView extends UsageLimitView {
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 250,
    description:
      'The quantity that the customer has used until now in the present time span. Null while the metric is deleted or of type `sql`.',
  })
  used: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 750,
    description: 'The remaining part of the limit, at least 0. Null if `used` is null.',
  })
  remaining: number | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which `used` is reset to zero. Null if `used` is null or is never reset.',
  })
  resetsAt: string | null;
}

export class CustomerUsageLimitList extends ListView {
  @ApiProperty({ type: [CustomerUsageLimitView], description: 'The limits, with their use.' })
  data: CustomerUsageLimitView[];
}

@BodyExample({ customerId: 'cust_northwind', metricId: 'met_01JD0000000000000000000000', quantity: 10 })
export class CheckUsageLimitsBody {
  @IdField({ example: 'cust_northwind', description: 'The id of the customer.' })
  customerId: string;

  @IdField({
    optional: true,
    example: 'met_01JD0000000000000000000000',
    description: 'The id of the metric. Give either this or `eventName`.',
  })
  metricId?: string;

  @SingleLineField({
    max: 255,
    optional: true,
    example: 'tokens',
    description:
      'The name of the events. All metrics that count these events are checked. Give either this or `metricId`.',
  })
  eventName?: string;

  @DecimalField({
    min: 0,
    optional: true,
    example: 10,
    description: 'The quantity to be used, in units of the metric. Default: 1.',
  })
  quantity?: string;
}

export class CheckedUsageLimitsView {
  @ApiProperty({
    example: true,
    description:
      'Whether the usage limits would accept an event with this quantity now. False if a limit with the action `block` would refuse the ' +
      'event. Credits are not checked.',
  })
  allowed: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'lim_01JD0000000000000000000000',
    description:
      'The id of the limit that the other fields describe. If several limits apply, a limit that refuses the quantity is chosen. If none ' +
      'refuses it, a limit with the action `block` is chosen. Among equals, the limit with the smallest remaining quantity is chosen. ' +
      'Null if no limit applies.',
  })
  limitId: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1_000,
    description: `${LIMIT} Null if no limit applies.`,
  })
  limit: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 250,
    description: 'The quantity that was used until now in the present time span. Null if no limit applies.',
  })
  used: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 750,
    description: 'The remaining part of the limit now, at least 0. Null if no limit applies.',
  })
  remaining: number | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time at which `used` is reset to zero. Null if `used` is never reset, or if no limit applies.',
  })
  resetsAt: string | null;
}
