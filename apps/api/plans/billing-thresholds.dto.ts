import { ApiProperty } from '@nestjs/swagger';
import { MAX_AMOUNT } from '#libs/contexts/catalog';
import { decimal, RuleField } from '../http/index.js';

/** When usage is invoiced before its period is over. */
export class BillingThresholdsView {
  @ApiProperty({
    ...decimal({ above: 0, max: MAX_AMOUNT }),
    example: 500,
    description:
      'As soon as usage of the present period that is not invoiced comes to this much, it is invoiced: in the currency of the prices, ' +
      'before coupons and taxes. At most a hundred times a period; the rest waits for its end.',
  })
  amountGte: number;
}

/** `billingThresholds` of a plan or a subscription; `readBillingThresholds` reads it. */
export function BillingThresholdsField(otherwise: string): PropertyDecorator {
  return RuleField(
    'isBillingThresholds',
    { type: BillingThresholdsView },
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    {
      optional: true,
      nullable: true,
      message: 'must be an object such as {"amountGte": 500}, or null for none',
      description: `When usage is invoiced before its period is over. ${otherwise}`,
    },
  );
}
