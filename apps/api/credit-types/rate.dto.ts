import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { MAX_RATE_GROUPS } from '#libs/contexts/credits';
import {
  BodyExample,
  decimalSchema,
  DecimalField,
  IdField,
  InstantField,
  ListView,
  RuleField,
} from '../http/index.js';

const WHEN = {
  type: 'object',
  additionalProperties: { type: 'string' },
  minProperties: 1,
  example: { model: 'large' },
  description:
    'The property values of the units of usage that this cost applies to. Each property must be one by which the metric groups usage.',
} as const;

/**
 * The cost of units with certain properties, in the form of requests and responses. The rate's `creditsPerUnit` does not apply to these
 * units.
 */
export class RateGroupView {
  @ApiProperty(WHEN) when: Record<string, string>;
  @ApiProperty({
    ...decimalSchema({ min: 0 }),
    example: 5,
    description: 'The number of credits that one unit with these property values costs.',
  })
  creditsPerUnit: number;
}

@BodyExample({
  metricId: 'met_01JD0000000000000000000000',
  creditsPerUnit: 1,
  groups: [{ when: { model: 'large' }, creditsPerUnit: 5 }],
})
@ApiExtraModels(RateGroupView)
export class AddRateBody {
  @IdField({
    example: 'met_01JD0000000000000000000000',
    description:
      'The metric whose units cost credits. Its aggregation must be of type `count` or `sum`. No subscription that has not ended may have ' +
      'a price on the metric.',
  })
  metricId: string;

  @DecimalField({
    min: 0,
    example: 1,
    description: 'The credits that one unit costs, unless a group says otherwise.',
  })
  creditsPerUnit: string;

  @RuleField(
    'isRateGroupList',
    { type: 'array', items: { $ref: getSchemaPath(RateGroupView) }, maxItems: MAX_RATE_GROUPS },
    Array.isArray,
    {
      optional: true,
      message: 'must be a list of groups, each {"when": {"model": "large"}, "creditsPerUnit": 5}',
      description:
        'The costs of units with certain properties, instead of `creditsPerUnit`. The cost of a unit is the cost of the ' +
        'first group whose property values match the unit.',
    },
  )
  groups?: unknown;

  @InstantField({
    optional: true,
    description:
      'The time at which the rate begins, and at which the previous rate of the metric ends. The time cannot be in the past. Default: now.',
  })
  effectiveAt?: string;
}

export class RateView {
  @ApiProperty({ example: 'rate_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'met_01JD0000000000000000000000' }) metricId: string;
  @ApiProperty({
    type: Number,
    example: 1,
    description: 'The credits that one unit costs, unless a group says otherwise.',
  })
  creditsPerUnit: number;
  @ApiProperty({
    type: [RateGroupView],
    description: 'The costs of units with certain properties, instead of `creditsPerUnit`.',
  })
  groups: RateGroupView[];
  @ApiProperty({ format: 'date-time' }) effectiveAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the next rate of the metric begins. Null if there is none.',
  })
  endsAt: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class RateList extends ListView {
  @ApiProperty({ type: [RateView] }) data: RateView[];
}
