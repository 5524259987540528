import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { CADENCES, PRICING_MODELS, TIMINGS, type Cadence, type Timing } from '#libs/rating';
import { ChoiceField, IdField, RuleField, TextField } from '../http/index.js';

/** The pricing model and its settings; read by the model, which names what is wrong with it field by field. */
export class PriceConfigView {
  @ApiProperty({ enum: [...PRICING_MODELS], example: 'unit' })
  model: string;

  @ApiProperty({ example: 'USD', description: 'Stays the same in every version of a price.' })
  currency: string;

  @ApiPropertyOptional({ type: Number, example: 0.01, description: 'Price of one unit, for `unit`.' })
  unitPrice?: number;

  @ApiPropertyOptional({ type: Number, example: 20, description: 'Amount of one period, for `flat`.' })
  amount?: number;
}

export class CreatePriceBody {
  @TextField({ max: 200, example: 'Request' })
  name: string;

  @TextField({ max: 1_000, optional: true, nullable: true })
  description?: string | null;

  @RuleField(
    'isPriceConfig',
    { type: () => PriceConfigView },
    (value) => typeof value === 'object' && value !== null,
    {
      message: 'must be an object such as {"model": "unit", "unitPrice": 0.01, "currency": "USD"}',
      description: 'A change replaces the whole config.',
    },
  )
  config: unknown;

  @IdField({ optional: true, nullable: true, description: 'Metric to charge for. Empty for a fee.' })
  metricId?: string | null;

  @ChoiceField(CADENCES, { optional: true, description: 'Default monthly. `usage_based` needs a metric.' })
  cadence?: Cadence;

  @ChoiceField(TIMINGS, {
    optional: true,
    description: 'Default in_arrears, which a price with a metric must have.',
  })
  timing?: Timing;

  @IdField({ optional: true, nullable: true, description: 'For the model `license` only.' })
  licenseTypeId?: string | null;
}

/** Only the fields to change. */
export class UpdatePriceBody extends PartialType(CreatePriceBody, { skipNullProperties: false }) {}

export class PriceView {
  @ApiProperty({ example: 'price_01JD0000000000000000000000' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty() config: PriceConfigView;
  @ApiProperty({ type: String, nullable: true }) metricId: string | null;
  @ApiProperty({ enum: [...CADENCES] }) cadence: Cadence;
  @ApiProperty({ enum: [...TIMINGS] }) timing: Timing;
  @ApiProperty({ description: 'Each change makes a new version.' }) version: number;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time', description: 'When this version was made.' }) updatedAt: string;
}

export class PriceList {
  @ApiProperty({ type: [PriceView] }) data: PriceView[];
}
