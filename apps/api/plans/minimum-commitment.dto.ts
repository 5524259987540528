import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { MONTHS_PER_PERIOD, type RecurringCadence } from '#libs/rating';
import { MAX_PLAN_AMOUNT } from '#libs/contexts/catalog';
import { decimalSchema, RuleField } from '../http/index.js';

const AMOUNT = decimalSchema({ above: 0, max: MAX_PLAN_AMOUNT });

/** A minimum commitment for an interval, such as a year. */
export class IntervalCommitmentView {
  @ApiProperty({
    ...AMOUNT,
    example: 1200,
    description: 'The minimum amount for the interval, in the currency of the prices.',
  })
  amount: number;

  @ApiProperty({
    enum: Object.keys(MONTHS_PER_PERIOD),
    example: 'annual',
    description:
      "The interval of the minimum, which is not shorter than the billing interval. The interval is counted from the subscription's anchor.",
  })
  interval: RecurringCadence;
}

/** The type of the field `minimumCommitment` in responses. */
export type MinimumCommitmentView = number | IntervalCommitmentView | null;

const ONE_OF = {
  oneOf: [{ ...AMOUNT, example: 100 }, { $ref: getSchemaPath(IntervalCommitmentView) }],
} satisfies ApiPropertyOptions;

/** Declares the request field `minimumCommitment` of a plan. `readMinimumCommitment` reads the value. */
export function MinimumCommitmentField(): PropertyDecorator {
  const field = RuleField('isMinimumCommitment', ONE_OF, (value) => value !== undefined, {
    optional: true,
    nullable: true,
    message: 'must be a number, an object such as {"amount": 1200, "interval": "annual"}, or null for none',
    description:
      'The smallest amount that a subscription is charged, in the currency of the prices. A minimum that is a number applies to each ' +
      'billing period. An object applies to each interval, which may be longer, such as an annual commitment with monthly invoices. The ' +
      'invoice at the end of that time has a line for the shortfall. If that time is cut short (by a pause, an end, another amount or ' +
      'another billing interval), the minimum is reduced in proportion. Null (the default): no minimum.',
  });
  return (target, property) => {
    ApiExtraModels(IntervalCommitmentView)(target.constructor);
    field(target, property);
  };
}

/** Declares the response field `minimumCommitment`. */
export function MinimumCommitmentProperty(): PropertyDecorator {
  const property = ApiProperty({
    ...ONE_OF,
    nullable: true,
    description:
      'The minimum amount for each billing period (a number) or each interval (an object). Null if there is no minimum.',
  });
  return (target, name) => {
    ApiExtraModels(IntervalCommitmentView)(target.constructor);
    property(target, name);
  };
}
