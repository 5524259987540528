import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PRICING_MODELS } from '#libs/rating';

class TierConfigView {
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1000,
    description:
      'The last unit of the tier, inclusive: what is above it is in the next. The last tier has null.',
  })
  upTo: number | null;

  @ApiPropertyOptional({ type: Number, example: 0.01, description: 'Not for `stairstep`.' })
  unitPrice?: number;

  @ApiPropertyOptional({
    type: Number,
    example: 10,
    description: 'Once the tier is reached; the first one is at 0. Required for `stairstep`.',
  })
  flatAmount?: number;
}

class MatrixCellView {
  @ApiProperty({ type: [String], example: ['eu', 'large'], description: 'A value for each dimension.' })
  values: string[];

  @ApiProperty({ type: Number, example: 0.02 })
  unitPrice: number;
}

/** The pricing model and its settings; read by the model, which names what is wrong with it field by field. */
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

  @ApiProperty({ example: 'USD', description: 'Stays the same in every version of a price.' })
  currency: string;

  @ApiPropertyOptional({ type: Number, example: 0.01, description: 'For `unit` and `license`.' })
  unitPrice?: number;

  @ApiPropertyOptional({ type: Number, example: 20, description: 'For `flat`.' })
  amount?: number;

  @ApiPropertyOptional({
    type: [TierConfigView],
    description: 'For `graduated`, `volume` and `stairstep`: 1 to 100, with rising bounds.',
  })
  tiers?: TierConfigView[];

  @ApiPropertyOptional({ type: Number, example: 100, description: 'For `package`; above 0.' })
  packageSize?: number;

  @ApiPropertyOptional({ type: Number, example: 5, description: 'For `package`.' })
  packagePrice?: number;

  @ApiPropertyOptional({ type: Number, description: 'For `package`: units that come off first. Default 0.' })
  freeUnits?: number;

  @ApiPropertyOptional({ type: Number, example: 1.5, description: 'For `percentage`, in percent.' })
  rate?: number;

  @ApiPropertyOptional({ type: Number, description: 'For `percentage`: of each event that is charged.' })
  fixedFee?: number;

  @ApiPropertyOptional({
    type: 'integer',
    description:
      'For `percentage`: the first events are free. With `freeAmount` too, whichever ends first ends both.',
  })
  freeEvents?: number;

  @ApiPropertyOptional({
    type: Number,
    description:
      'For `percentage`: the first amounts are free. The event that crosses it pays on what is above it, and its whole fixed fee.',
  })
  freeAmount?: number;

  @ApiPropertyOptional({ type: Number, description: 'For `percentage`: least for an event, fee included.' })
  minimumPerEvent?: number;

  @ApiPropertyOptional({ type: Number, description: 'For `percentage`: most for an event, fee included.' })
  maximumPerEvent?: number;

  @ApiPropertyOptional({
    type: [String],
    example: ['region', 'size'],
    description: "For `matrix`: one or two properties of the metric's groupBy.",
  })
  dimensions?: string[];

  @ApiPropertyOptional({ type: [MatrixCellView], description: 'For `matrix`: 1 to 200.' })
  cells?: MatrixCellView[];

  @ApiPropertyOptional({ type: Number, description: 'For `matrix`: of every combination that is no cell.' })
  defaultUnitPrice?: number;

  @ApiPropertyOptional({
    type: Number,
    description: 'For every model: units of a period, and of each group, that cost nothing.',
  })
  includedUnits?: number;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'With `includedUnits` of a metric: all groups of a period share them, in proportion to their usage. The last unit goes to the ' +
      'largest remainder: of 100 units, groups of 150, 100 and 50 have 50, 33 and 17. Not for a `percentage` with terms for single ' +
      'events. Default false: each group has all of them.',
  })
  includedUnitsShared?: boolean;

  @ApiPropertyOptional({
    type: Number,
    description:
      'For every model: least for a period, all groups together; a part of a period has its share.',
  })
  minimumAmount?: number;

  @ApiPropertyOptional({
    type: Number,
    description: 'For every model: most for a period, all groups together.',
  })
  maximumAmount?: number;
}
