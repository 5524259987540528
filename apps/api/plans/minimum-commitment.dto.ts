import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { MONTHS, type RecurringCadence } from '#libs/rating';
import { MAX_AMOUNT } from '#libs/contexts/catalog';
import { decimal, RuleField } from '../http/index.js';

const AMOUNT = decimal({ above: 0, max: MAX_AMOUNT });

/** A least amount for an interval. */
export class IntervalCommitmentView {
  @ApiProperty({ ...AMOUNT, example: 1200, description: 'In the currency of the prices.' })
  amount: number;

  @ApiProperty({
    enum: Object.keys(MONTHS),
    example: 'annual',
    description: "Not shorter than the billing interval. It is counted from the subscription's anchor.",
  })
  interval: RecurringCadence;
}

/** `minimumCommitment` as a response shows it. */
export type MinimumCommitmentView = number | IntervalCommitmentView | null;

const ONE_OF = {
  oneOf: [{ ...AMOUNT, example: 100 }, { $ref: getSchemaPath(IntervalCommitmentView) }],
} satisfies ApiPropertyOptions;

/** `minimumCommitment` of a plan; `readMinimumCommitment` reads it. */
export function MinimumCommitmentField(): PropertyDecorator {
  const field = RuleField('isMinimumCommitment', ONE_OF, (value) => value !== undefined, {
    optional: true,
    nullable: true,
    message: 'must be a number, an object such as {"amount": 1200, "interval": "annual"}, or null for none',
    description:
      'What a subscription comes to at least, in the currency of the prices. A number is for each billing period. An object is for each ' +
      'interval, which may be longer: invoices are monthly, and a commitment annual. What the charges of that time lack is a line of the ' +
      'invoice that ends it. Where it is cut short (a pause, an end, another amount, another billing interval) it has its share. ' +
      'Null: no least amount, as by default.',
  });
  return (target, property) => {
    ApiExtraModels(IntervalCommitmentView)(target.constructor);
    field(target, property);
  };
}

/** The same in a response. */
export function MinimumCommitmentProperty(): PropertyDecorator {
  const property = ApiProperty({
    ...ONE_OF,
    nullable: true,
    description:
      'What each billing period (a number) or each interval (an object) comes to at least; null for no least amount.',
  });
  return (target, name) => {
    ApiExtraModels(IntervalCommitmentView)(target.constructor);
    property(target, name);
  };
}
