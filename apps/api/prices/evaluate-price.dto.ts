import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BodyExample, DecimalField, DecimalListField, IdField, RuleField } from '../http/index.js';
import { TierView } from '../invoices/invoice-line.dto.js';
import { PriceConfigView } from './price-config.dto.js';

@BodyExample({
  config: {
    model: 'graduated',
    currency: 'USD',
    tiers: [
      { upTo: 1000, unitPrice: 0.1 },
      { upTo: null, unitPrice: 0.05 },
    ],
  },
  quantity: 1500,
})
export class EvaluatePriceBody {
  @RuleField(
    'isPriceConfig',
    { type: () => PriceConfigView },
    (value) => typeof value === 'object' && value !== null,
    {
      optional: true,
      message: 'must be an object such as {"model": "unit", "unitPrice": 0.01, "currency": "USD"}',
      description:
        'The config of a price to try, in the form that a price has. Give either this or `priceId`.',
    },
  )
  config?: unknown;

  @IdField({
    optional: true,
    description: 'The id of a price, whose newest version is tried. Give either this or `config`.',
  })
  priceId?: string;

  @DecimalField({
    optional: true,
    description: 'The quantity. Give either this or `eventAmounts`.',
    example: 1500,
  })
  quantity?: string;

  @DecimalListField({
    optional: true,
    max: 10_000,
    description:
      'For the model `percentage`: the amount of each event, in order of time. Required if the price has terms for single events, such as ' +
      '`fixedFee`.',
    example: [20, 100.5],
  })
  eventAmounts?: string[];

  @RuleField('isGroup', { type: 'object', additionalProperties: { type: 'string' } }, isGroup, {
    optional: true,
    message: 'must be an object of at most 5 properties and their values as text',
    description: 'For the model `matrix`: the values of the properties that the metric groups by.',
    example: { region: 'eu' },
  })
  group?: Record<string, string>;
}

function isGroup(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries: unknown[] = Object.values(value);
  return entries.length <= 5 && entries.every((one) => typeof one === 'string');
}

export class EvaluatedPriceView {
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: Number, example: 1100 }) quantity: number;
  @ApiProperty({
    type: Number,
    example: 115,
    description: "The amount, within the price's minimum and maximum, rounded to the currency's minor unit.",
  })
  amount: number;
  @ApiProperty({
    type: Number,
    example: 115,
    description: 'The exact amount, before the minimum and maximum of the price apply.',
  })
  unrounded: number;
  @ApiPropertyOptional({
    type: Number,
    description: 'The price of a unit. Absent for other models than `unit`, `license` and `matrix`.',
  })
  unitPrice?: number;
  @ApiProperty({ type: [TierView] }) tiers: TierView[];
  @ApiPropertyOptional({
    type: Number,
    description: 'The amount that is added to reach the minimum of the price. Absent if nothing is added.',
    example: 5,
  })
  upToMinimum?: number;
  @ApiPropertyOptional({
    type: Number,
    description:
      'The amount that would be charged without the maximum of the price. Absent if the maximum does not lower the amount.',
  })
  amountBeforeMaximum?: number;
}
