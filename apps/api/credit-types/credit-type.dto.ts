import type { NameTranslations } from '#libs/kernel/core';
import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { RETURNED_PURCHASE_POLICIES, type ReturnedPurchasePolicy } from '#libs/contexts/credits';
import { OVERAGE_POLICIES, type OveragePolicy } from '#libs/rating';
import {
  BodyExample,
  ChoiceField,
  CurrencyField,
  DecimalField,
  IntegerField,
  NameTranslationsField,
  NameTranslationsProperty,
  SingleLineField,
  ListView,
  RuleField,
} from '../http/index.js';

const TYPE = '^[a-z0-9][a-z0-9_-]{0,63}$';

@BodyExample({
  type: 'ai-credits',
  name: 'AI credits',
  unitPrice: 0.01,
  currency: 'USD',
  overage: 'allow',
  overagePrice: 0.012,
  expiresAfterDays: 365,
})
export class CreateCreditTypeBody {
  @RuleField(
    'isCreditType',
    { type: 'string', pattern: TYPE, example: 'ai-credits' },
    (value) => typeof value === 'string' && new RegExp(TYPE).test(value),
    {
      message: 'must be 1 to 64 small letters, digits, _ or -, and begin with a letter or digit',
      description:
        'The id of the credit type, which you choose. The id is a part of the URL paths of wallets.',
    },
  )
  type: string;

  @SingleLineField({
    max: 200,
    example: 'AI credits',
    description: 'The name of the credit type, which invoices print.',
  })
  name: string;

  @NameTranslationsField()
  nameTranslations?: NameTranslations | null;

  @DecimalField({ min: 0, example: 0.01, description: 'The price of one credit, in `currency`.' })
  unitPrice: string;

  @CurrencyField({
    description: 'The currency in which credits are sold. The currency cannot be changed later.',
  })
  currency: string;

  @ChoiceField(OVERAGE_POLICIES, {
    optional: true,
    description:
      "What happens to usage that the customer's credits do not cover. `block` (the default): the usage is refused. `allow`: the usage " +
      'continues and is billed.',
  })
  overage?: OveragePolicy;

  @DecimalField({
    min: 0,
    optional: true,
    nullable: true,
    example: 0.012,
    description:
      "The price of one credit for usage that the customer's credits do not cover, in `currency`. Default null: the `unitPrice`.",
  })
  overagePrice?: string | null;

  @IntegerField({
    min: 1,
    max: 36_500,
    optional: true,
    nullable: true,
    example: 365,
    description:
      'The number of days after which credits expire, if their grant or purchase has no expiry time of its own. Default null: they ' +
      'never expire.',
  })
  expiresAfterDays?: number | null;

  @ChoiceField(RETURNED_PURCHASE_POLICIES, {
    optional: true,
    description:
      'What happens to unused credits whose purchase was refunded at the payment processor or lost in a dispute. `take_back` (the ' +
      'default): they are taken back. `block`: they cannot be used. `keep`: the customer keeps them.',
  })
  onPurchaseReturned?: ReturnedPurchasePolicy;
}

/** The fields to change. A field that is left out stays as it is. */
@BodyExample({ unitPrice: 0.009, overage: 'block' })
export class UpdateCreditTypeBody extends PartialType(
  OmitType(CreateCreditTypeBody, ['type', 'currency'] as const),
  { skipNullProperties: false },
) {}

export class CreditTypeView {
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) type: string;
  @ApiProperty({ example: 'AI credits', description: 'The name of the credit type, which invoices print.' })
  name: string;
  @NameTranslationsProperty() nameTranslations: NameTranslations;
  @ApiProperty({ type: Number, example: 0.01, description: 'The price of one credit.' }) unitPrice: number;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({
    enum: [...OVERAGE_POLICIES],
    example: 'allow',
    description:
      "What happens to usage that the customer's credits do not cover. `block`: the usage is refused. `allow`: the usage continues and is " +
      'billed.',
  })
  overage: (typeof OVERAGE_POLICIES)[number];
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.012,
    description:
      "The price of one credit for usage that the customer's credits do not cover. If null, the price is the `unitPrice`.",
  })
  overagePrice: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 365,
    description:
      'The number of days after which credits expire, if their grant or purchase has no expiry time of its own. If null, they never expire.',
  })
  expiresAfterDays: number | null;
  @ApiProperty({
    enum: [...RETURNED_PURCHASE_POLICIES],
    example: 'take_back',
    description:
      'What happens to unused credits whose purchase was refunded at the payment processor or lost in a dispute.',
  })
  onPurchaseReturned: (typeof RETURNED_PURCHASE_POLICIES)[number];
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class CreditTypeList extends ListView {
  @ApiProperty({ type: [CreditTypeView] }) data: CreditTypeView[];
}
