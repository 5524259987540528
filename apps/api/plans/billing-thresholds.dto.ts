import { ApiProperty } from '@nestjs/swagger';
import { MAX_PLAN_AMOUNT } from '#libs/contexts/catalog';
import { decimalSchema, RuleField } from '../http/index.js';

/** The thresholds at which usage is invoiced before its period ends. */
export class BillingThresholdsView {
  @ApiProperty({
    ...decimalSchema({ above: 0, max: MAX_PLAN_AMOUNT }),
    example: 500,
    description:
      'An invoice is made when the uninvoiced usage of the present period reaches this amount, in the currency of the prices, before ' +
      'coupons and taxes. Such an invoice is made at most a hundred times a period. The rest is invoiced at the end of the period.',
  })
  amountGte: number;
}

/** Declares the request field `billingThresholds` of a plan or a subscription. `readBillingThresholds` reads the value. */
export function BillingThresholdsField(otherwise: string): PropertyDecorator {
  return RuleField(
    'isBillingThresholds',
    { type: BillingThresholdsView },
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    {
      optional: true,
      nullable: true,
      message: 'must be an object such as {"amountGte": 500}, or null for none',
      description: `The thresholds at which usage is invoiced before its period ends. ${otherwise}`,
    },
  );
}
