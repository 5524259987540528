import { ApiProperty } from '@nestjs/swagger';
import { MAX_AMOUNT } from '#libs/contexts/catalog';
import { decimal, RuleField } from '../http/index.js';

/** When usage is invoiced before its period ends. */
export class BillingThresholdsView {
  @ApiProperty({
    ...decimal({ above: 0, max: MAX_AMOUNT }),
    example: 500,
    description:
      'The amount of uninvoiced usage in the present period that causes an invoice, in the currency of the prices, before coupons and taxes. ' +
      'Such an invoice is made at most a hundred times a period. The rest is invoiced at the end of the period.',
  })
  amountGte: number;
}

/** The field `billingThresholds` of a plan or a subscription, which `readBillingThresholds` reads. */
export function BillingThresholdsField(otherwise: string): PropertyDecorator {
  return RuleField(
    'isBillingThresholds',
    { type: BillingThresholdsView },
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    {
      optional: true,
      nullable: true,
      message: 'must be an object such as {"amountGte": 500}, or null for none',
      description: `When usage is invoiced before its period ends. ${otherwise}`,
    },
  );
}
