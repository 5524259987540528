import { ApiProperty, PartialType } from '@nestjs/swagger';
import type { NameTranslations } from '#libs/kernel/core';
import { CADENCES, CHARGE_TIMINGS, type Cadence, type ChargeTiming } from '#libs/rating';
import { MAX_TAXES_PER_INVOICE } from '#libs/contexts/taxes';
import {
  BodyExample,
  ChoiceField,
  IdField,
  IdListField,
  IdOrEmptyField,
  NameTranslationsField,
  NameTranslationsProperty,
  SingleLineField,
  ListView,
  RuleField,
  TextField,
} from '../http/index.js';
import { PriceConfigView } from './price-config.dto.js';

const PRICE = {
  name: 'Platform fee',
  cadence: 'monthly',
  config: { model: 'flat', amount: 20, currency: 'USD' },
};

@BodyExample(PRICE)
export class CreatePriceBody {
  @SingleLineField({
    max: 200,
    example: 'Request',
    description: 'The name of the price, which invoices print.',
  })
  name: string;

  @NameTranslationsField()
  nameTranslations?: NameTranslations | null;

  @TextField({
    max: 1_000,
    optional: true,
    nullable: true,
    description: 'A note for yourself about the price.',
    example: 'Each month, in arrears',
  })
  description?: string | null;

  @RuleField(
    'isPriceConfig',
    { type: () => PriceConfigView },
    (value) => typeof value === 'object' && value !== null,
    {
      message: 'must be an object such as {"model": "unit", "unitPrice": 0.01, "currency": "USD"}',
      description: 'The pricing model and its settings. A change of the settings replaces the whole config.',
    },
  )
  config: unknown;

  @IdOrEmptyField({
    optional: true,
    description: 'The id of the metric to charge for. Empty or null for a fee, of any model.',
  })
  metricId?: string | null;

  @ChoiceField(CADENCES, {
    optional: true,
    description:
      'How often the price is charged. Default monthly. `usage_based` needs a metric, whose usage is charged each billing period. A ' +
      'billing period is as long as the shortest cadence of the other prices, or a month if they are all `usage_based` or `one_time`. The ' +
      'usage of a metric can also be charged `monthly`, for monthly invoices of usage beside an annual fee.',
  })
  cadence?: Cadence;

  @ChoiceField(CHARGE_TIMINGS, {
    optional: true,
    description:
      'When the price is charged. Default in_arrears, which a price with a metric must have. A `one_time` price is charged when it ' +
      'begins, with both values.',
  })
  timing?: ChargeTiming;

  @IdField({
    optional: true,
    nullable: true,
    description:
      'The id of the license type whose seats the price charges for. The field is required for the model `license`, and not allowed for ' +
      'other models.',
  })
  licenseTypeId?: string | null;

  @IdListField({
    max: MAX_TAXES_PER_INVOICE,
    optional: true,
    nullable: true,
    example: [],
    description:
      'The tax rates on the charges of this price, such as a reduced rate. An empty list means no tax. Default null: the tax rates of ' +
      'the customer, or else the default tax rates of the billing settings. A tax-exempt customer pays no tax.',
  })
  taxRateIds?: string[] | null;
}

/** The fields to change. A field that is left out stays as it is. */
@BodyExample(PRICE)
export class UpdatePriceBody extends PartialType(CreatePriceBody, { skipNullProperties: false }) {}

export class PriceView {
  @ApiProperty({ example: 'price_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ description: 'The name of the price.', example: 'Platform fee' }) name: string;
  @NameTranslationsProperty() nameTranslations: NameTranslations;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty() config: PriceConfigView;
  @ApiProperty({ type: String, nullable: true }) metricId: string | null;
  @ApiProperty({ enum: [...CADENCES] }) cadence: Cadence;
  @ApiProperty({ enum: [...CHARGE_TIMINGS] }) timing: ChargeTiming;
  @ApiProperty({ type: String, nullable: true }) licenseTypeId: string | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      "If null, the customer's tax rates apply, or else the default tax rates of the billing settings.",
  })
  taxRateIds: string[] | null;
  @ApiProperty({
    description: 'The number of the version. Each change of the price makes a new version.',
    type: 'integer',
  })
  version: number;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time', description: 'The time when this version of the price was made.' })
  updatedAt: string;
}

export class PriceList extends ListView {
  @ApiProperty({ type: [PriceView] }) data: PriceView[];
}
