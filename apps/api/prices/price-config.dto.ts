import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PRICE_LIMITS, PRICING_MODELS, type PricingModelName } from '#libs/rating';
import { decimal, OneOf, type Variant } from '../http/index.js';

/** An amount of money, or a quantity. */
const AMOUNT = decimal({ min: 0, below: PRICE_LIMITS.amountBelow });
const ABOVE_ZERO = decimal({ above: 0, below: PRICE_LIMITS.amountBelow });
const TEXT = { type: 'string', minLength: 1, maxLength: PRICE_LIMITS.textLength };

class TierConfigView {
  @ApiProperty({
    ...ABOVE_ZERO,
    nullable: true,
    example: 1000,
    description:
      'The last unit of the tier, inclusive: what is above it is in the next. The last tier has null.',
  })
  upTo: number | null;

  @ApiPropertyOptional({ ...AMOUNT, example: 0.01, description: 'Not for `stairstep`.' })
  unitPrice?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    example: 10,
    description: 'Once the tier is reached; the first one is at 0. Required for `stairstep`.',
  })
  flatAmount?: number;
}

class MatrixCellView {
  @ApiProperty({
    type: 'array',
    items: TEXT,
    minItems: 1,
    maxItems: PRICE_LIMITS.dimensions,
    example: ['eu', 'large'],
    description: 'A value for each dimension.',
  })
  values: string[];

  @ApiProperty({ ...AMOUNT, example: 0.02 })
  unitPrice: number;
}

const MODELS: Readonly<Record<PricingModelName, Omit<Variant, 'name' | 'is'>>> = {
  unit: { description: 'Every unit costs the same.', required: ['unitPrice'] },
  flat: { description: 'One amount per period, whatever is used.', required: ['amount'] },
  graduated: { description: 'Each tier prices the units that fall into it.', required: ['tiers'] },
  volume: { description: 'The tier that the quantity ends in prices every unit.', required: ['tiers'] },
  stairstep: {
    description: 'The tier that the quantity ends in has one amount for all.',
    required: ['tiers'],
  },
  package: {
    description: 'Every started package costs the same.',
    required: ['packageSize', 'packagePrice'],
    optional: ['freeUnits'],
  },
  percentage: {
    description: 'A percentage of the amounts that events carry.',
    required: ['rate'],
    optional: ['fixedFee', 'freeEvents', 'freeAmount', 'minimumPerEvent', 'maximumPerEvent'],
  },
  matrix: {
    description: 'A price per unit by the values of one or two properties.',
    required: ['dimensions', 'cells', 'defaultUnitPrice'],
  },
  license: { description: 'Every seat costs the same.', required: ['unitPrice'] },
};

/** The schema of each model: `UnitPriceConfigView`. */
const VARIANTS = PRICING_MODELS.map((model) => ({
  ...MODELS[model],
  name: `${model[0]!.toUpperCase()}${model.slice(1)}PriceConfigView`,
  is: model,
}));

/** The pricing model and its settings; read by the model, which names what is wrong with it field by field. */
@OneOf(VARIANTS, 'model')
export class PriceConfigView {
  @ApiProperty({
    enum: [...PRICING_MODELS],
    example: 'unit',
    description:
      '`unit`: every unit costs `unitPrice`. `flat`: `amount` a period. `graduated`: each of the `tiers` prices the units in ' +
      'it. `volume`: the tier that the quantity ends in prices every unit. `stairstep`: that tier has one amount for all. ' +
      '`package`: every started package of `packageSize` units costs `packagePrice`. `percentage`: `rate` percent of the ' +
      "events' amounts, of a `sum` metric. `matrix`: a price per unit by the values of one or two properties that the " +
      'metric groups by. `license`: `unitPrice` a seat.',
  })
  model: string;

  @ApiProperty({
    pattern: '^[A-Z]{3}$',
    example: 'USD',
    description: 'The currency of its amounts. It stays the same in every version of a price.',
  })
  currency: string;

  @ApiPropertyOptional({ ...AMOUNT, example: 0.01, description: 'For `unit` and `license`.' })
  unitPrice?: number;

  @ApiPropertyOptional({ ...AMOUNT, example: 20, description: 'For `flat`.' })
  amount?: number;

  @ApiPropertyOptional({
    type: [TierConfigView],
    minItems: 1,
    maxItems: PRICE_LIMITS.tiers,
    description: `For \`graduated\`, \`volume\` and \`stairstep\`: 1 to ${PRICE_LIMITS.tiers}, with rising bounds.`,
  })
  tiers?: TierConfigView[];

  @ApiPropertyOptional({ ...ABOVE_ZERO, example: 100, description: 'For `package`; above 0.' })
  packageSize?: number;

  @ApiPropertyOptional({ ...AMOUNT, example: 5, description: 'For `package`.' })
  packagePrice?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For `package`: units that come off first. Default 0.',
    example: 100,
  })
  freeUnits?: number;

  @ApiPropertyOptional({ ...AMOUNT, example: 1.5, description: 'For `percentage`, in percent.' })
  rate?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For `percentage`: of each event that is charged.',
    example: 0.3,
  })
  fixedFee?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description:
      'For `percentage`: the first events are free. With `freeAmount` too, whichever ends first ends both.',
    example: 10,
  })
  freeEvents?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For `percentage`: the first amounts are free. The event that crosses it pays on what is above it, and its whole fixed fee.',
    example: 1000,
  })
  freeAmount?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For `percentage`: least for an event, fee included.',
    example: 0.5,
  })
  minimumPerEvent?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For `percentage`: most for an event, fee included.',
    example: 25,
  })
  maximumPerEvent?: number;

  @ApiPropertyOptional({
    type: 'array',
    items: TEXT,
    minItems: 1,
    maxItems: PRICE_LIMITS.dimensions,
    uniqueItems: true,
    example: ['region', 'size'],
    description: "For `matrix`: one or two properties of the metric's groupBy.",
  })
  dimensions?: string[];

  @ApiPropertyOptional({
    type: [MatrixCellView],
    minItems: 1,
    maxItems: PRICE_LIMITS.cells,
    description: `For \`matrix\`: 1 to ${PRICE_LIMITS.cells}.`,
  })
  cells?: MatrixCellView[];

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For `matrix`: of every combination that is no cell.',
    example: 0.01,
  })
  defaultUnitPrice?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For every model: units of a period, and of each group, that cost nothing.',
    example: 100,
  })
  includedUnits?: number;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'With `includedUnits` of a metric: all groups of a period share them, in proportion to their usage. The last unit goes to the ' +
      'largest remainder: of 100 units, groups of 150, 100 and 50 have 50, 33 and 17. Not for a `percentage` with terms for single ' +
      'events. Default false: each group has all of them.',
    example: true,
  })
  includedUnitsShared?: boolean;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For every model: least for a period, all groups together; a part of a period has its share.',
    example: 10,
  })
  minimumAmount?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For every model: most for a period, all groups together.',
    example: 1000,
  })
  maximumAmount?: number;
}
