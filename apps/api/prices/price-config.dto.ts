import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PRICE_LIMITS, PRICING_MODELS, type PricingModelName } from '#libs/rating';
import { decimalSchema, OneOf, type Variant } from '../http/index.js';

/** The OpenAPI schema of an amount of money or a quantity. */
const AMOUNT = decimalSchema({ min: 0, below: PRICE_LIMITS.amountBelow });
const ABOVE_ZERO = decimalSchema({ above: 0, below: PRICE_LIMITS.amountBelow });
const TEXT = { type: 'string', minLength: 1, maxLength: PRICE_LIMITS.maxTextLength };

class TierConfigView {
  @ApiProperty({
    ...ABOVE_ZERO,
    nullable: true,
    example: 1000,
    description:
      'The number of the last unit in the tier. Units above this number are in the next tier. Null for the last tier.',
  })
  upTo: number | null;

  @ApiPropertyOptional({
    ...AMOUNT,
    example: 0.01,
    description: 'The price of one unit. Absent for `stairstep`, and if the tier has no price for each unit.',
  })
  unitPrice?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    example: 10,
    description:
      'The fixed price of the tier. `graduated` charges the `flatAmount` of each tier that the quantity reaches. The first tier is ' +
      'reached at a quantity of 0. `volume` and `stairstep` charge only the `flatAmount` of the tier in which the quantity ends. Required ' +
      'for `stairstep`. Absent if the tier has none.',
  })
  flatAmount?: number;
}

class MatrixCellView {
  @ApiProperty({
    type: 'array',
    items: TEXT,
    minItems: 1,
    maxItems: PRICE_LIMITS.maxDimensions,
    example: ['eu', 'large'],
    description: 'The value of each dimension.',
  })
  values: readonly string[];

  @ApiProperty({ ...AMOUNT, example: 0.02 })
  unitPrice: number;
}

const MODELS: Readonly<Record<PricingModelName, Omit<Variant, 'name' | 'is'>>> = {
  unit: { description: 'Every unit costs the same.', required: ['unitPrice'] },
  flat: { description: 'A period costs one amount, independent of usage.', required: ['amount'] },
  graduated: {
    description: 'Each tier has a price for the units that fall into the tier.',
    required: ['tiers'],
  },
  volume: {
    description: 'The tier of the whole quantity sets the price of every unit.',
    required: ['tiers'],
  },
  stairstep: {
    description: 'The tier of the whole quantity sets one amount for all units.',
    required: ['tiers'],
  },
  package: {
    description: 'Every package costs the same, including a partly used package.',
    required: ['packageSize', 'packagePrice'],
    optional: ['freeUnits'],
  },
  percentage: {
    description: 'The charge is a percentage of the amounts in the events.',
    required: ['rate'],
    optional: ['fixedFee', 'freeEvents', 'freeAmount', 'minimumPerEvent', 'maximumPerEvent'],
  },
  matrix: {
    description: 'The price of a unit depends on the values of one or two properties.',
    required: ['dimensions', 'cells', 'defaultUnitPrice'],
  },
  license: { description: 'Every seat costs the same.', required: ['unitPrice'] },
};

/** The name of the OpenAPI schema of each pricing model, such as `UnitPriceConfigView`. */
const VARIANTS = PRICING_MODELS.map((model) => ({
  ...MODELS[model],
  name: `${model[0]!.toUpperCase()}${model.slice(1)}PriceConfigView`,
  discriminatorValue: model,
}));

/** The pricing model and its settings. The pricing model validates its settings, and the error names every wrong field. */
@OneOf(VARIANTS, 'model')
export class PriceConfigView {
  @ApiProperty({
    enum: [...PRICING_MODELS],
    example: 'unit',
    description:
      '`unit`: every unit costs `unitPrice`. `flat`: a period costs `amount`. `graduated`: each of the `tiers` prices the units in it. ' +
      '`volume`: the tier in which the quantity ends sets the price of every unit. `stairstep`: the tier in which the quantity ends sets ' +
      'one amount for all units. `package`: every started package of `packageSize` units costs `packagePrice`. `percentage`: `rate` ' +
      'percent of the amounts in the events, for a metric with the aggregation `sum`. `matrix`: the price of a unit depends on one or ' +
      'two properties by which the metric groups. `license`: every seat costs `unitPrice`.',
  })
  model: (typeof PRICING_MODELS)[number];

  @ApiProperty({
    pattern: '^[A-Z]{3}$',
    example: 'USD',
    description: 'The currency of the amounts. The currency is the same in every version of a price.',
  })
  currency: string;

  @ApiPropertyOptional({
    ...AMOUNT,
    example: 0.01,
    description: 'The price of a unit, for `unit` and `license`.',
  })
  unitPrice?: number;

  @ApiPropertyOptional({ ...AMOUNT, example: 20, description: 'The amount for a period, for `flat`.' })
  amount?: number;

  @ApiPropertyOptional({
    type: [TierConfigView],
    minItems: 1,
    maxItems: PRICE_LIMITS.maxTiers,
    description: `For \`graduated\`, \`volume\` and \`stairstep\`: 1 to ${PRICE_LIMITS.maxTiers} tiers, with rising bounds.`,
  })
  tiers?: TierConfigView[];

  @ApiPropertyOptional({
    ...ABOVE_ZERO,
    example: 100,
    description: 'For `package`: the number of units in a package, above 0.',
  })
  packageSize?: number;

  @ApiPropertyOptional({ ...AMOUNT, example: 5, description: 'For `package`: the price of a package.' })
  packagePrice?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For `package`: the number of free units, which are subtracted first. Absent if there are none.',
    example: 100,
  })
  freeUnits?: number;

  @ApiPropertyOptional({ ...AMOUNT, example: 1.5, description: 'For `percentage`: the rate, in percent.' })
  rate?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For `percentage`: the fixed fee of each charged event. Absent if there is none.',
    example: 0.3,
  })
  fixedFee?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description:
      'For `percentage`: how many events are free, from the first event of each period and group. If `freeAmount` is given too, events ' +
      'are charged as soon as either `freeEvents` or `freeAmount` is used up. Absent if none are free.',
    example: 10,
  })
  freeEvents?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For `percentage`: the amount that is free, from the first event of each period and group. If an event exceeds the free amount, ' +
      'the excess amount and the whole fixed fee are charged. Absent if nothing is free.',
    example: 1000,
  })
  freeAmount?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For `percentage`: the smallest charge for a charged event, including the fixed fee. Free events and negative amounts are not ' +
      'raised to this charge. Absent if there is none.',
    example: 0.5,
  })
  minimumPerEvent?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For `percentage`: the largest charge for an event, including the fixed fee. Absent if there is none.',
    example: 25,
  })
  maximumPerEvent?: number;

  @ApiPropertyOptional({
    type: 'array',
    items: TEXT,
    minItems: 1,
    maxItems: PRICE_LIMITS.maxDimensions,
    uniqueItems: true,
    example: ['region', 'size'],
    description: "For `matrix`: one or two properties of the metric's groupBy.",
  })
  dimensions?: readonly string[];

  @ApiPropertyOptional({
    type: [MatrixCellView],
    minItems: 1,
    maxItems: PRICE_LIMITS.maxCells,
    description: `For \`matrix\`: 1 to ${PRICE_LIMITS.maxCells} cells.`,
  })
  cells?: MatrixCellView[];

  @ApiPropertyOptional({
    ...AMOUNT,
    description: 'For `matrix`: the price of a unit for every combination without a cell.',
    example: 0.01,
  })
  defaultUnitPrice?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For every model: the number of free units in each period and group. Free units do not change the amount of a `flat` price. ' +
      'Absent if there are none.',
    example: 100,
  })
  includedUnits?: number;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'For a price with a metric: whether all groups of a period share the `includedUnits`, in proportion to their usage. Shares are ' +
      'rounded down, and a unit that is left over goes to the group with the largest remainder. Of 100 included units, groups that use ' +
      '150, 100 and 50 units get 50, 33 and 17. Not allowed for a `percentage` with `fixedFee`, `freeEvents`, `minimumPerEvent` or ' +
      '`maximumPerEvent`. False or absent: each group gets all included units.',
    example: true,
  })
  includedUnitsShared?: boolean;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For every model: the smallest charge for a period, for all groups together. The smallest charge is reduced in proportion for a ' +
      'part of a period. Absent if there is none.',
    example: 10,
  })
  minimumAmount?: number;

  @ApiPropertyOptional({
    ...AMOUNT,
    description:
      'For every model: the largest charge for a period, for all groups together. For a part of a period, the largest charge of a fee is ' +
      'reduced in proportion. The largest charge of usage is not reduced. Absent if there is none.',
    example: 1000,
  })
  maximumAmount?: number;
}
