import { ApiProperty } from '@nestjs/swagger';
import {
  ALLOWANCE_INTERVALS,
  PLAN_CHANGE_GRANTS,
  type AllowanceInterval,
  type PlanChangeGrant,
} from '#libs/contexts/credits';
import {
  BodyExample,
  ChoiceField,
  DecimalField,
  IdField,
  IntegerField,
  ListView,
  ObjectField,
} from '../http/index.js';

/** How many unused credits of an allowance are carried over from one interval to the next. */
export class RolloverBody {
  @DecimalField({
    min: 0,
    optional: true,
    example: 0,
    description:
      'The smallest number of credits that are carried over. If fewer credits of the allowance are left, this number is carried over ' +
      'instead. Default 0.',
  })
  minimum?: string;

  @DecimalField({ min: 0, example: 200, description: 'The largest number of credits that are carried over.' })
  maximum: string;
}

@BodyExample({
  planId: 'plan_01JD0000000000000000000000',
  credits: 1_000,
  every: 'month',
  priority: 10,
  rollover: { maximum: 200 },
})
export class AddAllowanceBody {
  @IdField({ example: 'plan_01JD0000000000000000000000', description: 'The plan that includes the credits.' })
  planId: string;

  @DecimalField({
    above: 0,
    example: 1_000,
    description: 'The number of credits that are granted at the beginning of each interval.',
  })
  credits: string;

  @ChoiceField(ALLOWANCE_INTERVALS, {
    optional: true,
    description:
      'How often the credits are granted: at the beginning of each billing period or trial (`period`, the default), each month or each ' +
      'year. Months and years are counted from the day on which the billing periods begin.',
  })
  every?: AllowanceInterval;

  @IntegerField({
    min: 0,
    max: 1_000,
    optional: true,
    example: 10,
    description: 'The priority of the credits; credits with a lower number are used first. Default 10.',
  })
  priority?: number;

  @ObjectField(() => RolloverBody, {
    optional: true,
    nullable: true,
    description:
      'How many unused credits are carried over from one interval to the next. Default null: none.',
  })
  rollover?: RolloverBody | null;

  @ChoiceField(PLAN_CHANGE_GRANTS, {
    optional: true,
    description:
      'What a change to the plan within an interval grants: the share of the credits for the rest of the interval (`prorated`, the default), ' +
      'all credits (`full_price`), or nothing before the next interval (`next_period`). All allowances of an interval together give at ' +
      'most what the largest plan held in it gives.',
  })
  onPlanChange?: PlanChangeGrant;
}

export class RolloverView {
  @ApiProperty({
    type: Number,
    example: 0,
    description:
      'The smallest number of credits that are carried over. If fewer credits of the allowance are left, this number is carried over ' +
      'instead.',
  })
  minimum: number;
  @ApiProperty({
    type: Number,
    example: 200,
    description: 'The largest number of credits that are carried over.',
  })
  maximum: number;
}

export class AllowanceView {
  @ApiProperty({ example: 'alw_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'plan_01JD0000000000000000000000' }) planId: string;
  @ApiProperty({
    type: Number,
    example: 1_000,
    description: 'The number of credits that are granted at the beginning of each interval.',
  })
  credits: number;
  @ApiProperty({
    enum: [...ALLOWANCE_INTERVALS],
    example: 'month',
    description: 'How often the credits are granted.',
  })
  every: (typeof ALLOWANCE_INTERVALS)[number];
  @ApiProperty({
    type: 'integer',
    example: 10,
    description: 'The priority of the credits; credits with a lower number are used first.',
  })
  priority: number;
  @ApiProperty({
    type: RolloverView,
    nullable: true,
    description:
      'How many unused credits are carried over from one interval to the next. If null, no credits are carried over.',
  })
  rollover: RolloverView | null;
  @ApiProperty({
    enum: [...PLAN_CHANGE_GRANTS],
    example: 'prorated',
    description: 'What a change to the plan within an interval grants.',
  })
  onPlanChange: (typeof PLAN_CHANGE_GRANTS)[number];
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class AllowanceList extends ListView {
  @ApiProperty({ type: [AllowanceView] }) data: AllowanceView[];
}
