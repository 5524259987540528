import {
  Decimal,
  decimalString,
  isObject,
  jsonNumbers,
  type DecimalString,
  type FieldError,
} from '#libs/kernel/core';
import {
  PriceConfigReader,
  MAX_PRICE_DIGITS_PER_SIDE,
  MAX_PRICE_CONFIG_TEXT_LENGTH,
} from './price-config-reader.js';
import { NO_EVENTS, type EventTally } from './event-tally.js';
import { flatModel, type FlatConfig } from './flat.js';
import { graduatedModel, type GraduatedConfig } from './graduated.js';
import { shareIncludedUnits, deductFreeUnits } from './included.js';
import { licenseModel, type LicenseConfig } from './license.js';
import { matrixModel, MAX_CELLS, MAX_DIMENSIONS, type MatrixConfig } from './matrix.js';
import type {
  BaseConfig,
  ChargeKind,
  PresentedModelFields,
  PriceBounds,
  PricedUsage,
  PricingModel,
  UsageCost,
  RatedTier,
} from './model.js';
import { packageModel, type PackageConfig } from './package.js';
import { percentageModel, tallyEvent, type PercentageConfig } from './percentage.js';
import { stairstepModel, type StairstepConfig } from './stairstep.js';
import { MAX_TIERS } from './tiers.js';
import { unitModel, type UnitConfig } from './unit.js';
import { volumeModel, type VolumeConfig } from './volume.js';

export type { EventTally } from './event-tally.js';
export type { MatrixConfig } from './matrix.js';
export type { PriceBounds, PricedUsage, UsageCost, RatedTier } from './model.js';
export { presentTier } from './present-tier.js';

/** The validated config of a price, with one member of the union per pricing model. Decimals are strings. */
export type PriceConfig =
  | UnitConfig
  | FlatConfig
  | GraduatedConfig
  | VolumeConfig
  | StairstepConfig
  | PackageConfig
  | PercentageConfig
  | MatrixConfig
  | LicenseConfig;
export type PricingModelName = PriceConfig['model'];

/** The registry of pricing models. To add a model, add a file, a member of {@link PriceConfig} and a line in this file. */
const models: {
  readonly [Name in PricingModelName]: PricingModel<Name, Extract<PriceConfig, { model: Name }>>;
} = {
  unit: unitModel,
  flat: flatModel,
  graduated: graduatedModel,
  volume: volumeModel,
  stairstep: stairstepModel,
  package: packageModel,
  percentage: percentageModel,
  matrix: matrixModel,
  license: licenseModel,
};

/** The pricing models that a price can have. */
export const PRICING_MODELS = Object.keys(models) as PricingModelName[];

/** The limits of a config. The API documentation quotes them. */
export const PRICE_LIMITS = {
  /** Amounts and quantities of a price must be below this number. */
  amountBelow: 10 ** MAX_PRICE_DIGITS_PER_SIDE,
  maxTiers: MAX_TIERS,
  maxCells: MAX_CELLS,
  maxDimensions: MAX_DIMENSIONS,
  maxTextLength: MAX_PRICE_CONFIG_TEXT_LENGTH,
} as const;

/** The result of reading a config: either the config or all its errors. */
export type PriceConfigResult =
  { readonly ok: true; readonly config: PriceConfig } | { readonly ok: false; readonly errors: FieldError[] };

/** Reads a price's `config` from a parsed request body. Errors name the wrong fields as `config.…`. */
export function parsePriceConfig(input: unknown): PriceConfigResult {
  if (!isObject(input)) return refused('config', 'must be an object such as {"model": "unit", …}');
  const fields = new PriceConfigReader(input);
  const name = fields.rawValue('model');
  const known = `one of ${PRICING_MODELS.join(', ')}`;
  if (typeof name !== 'string') return refused('config.model', `is required: ${known}`);
  if (!Object.hasOwn(models, name)) return refused('config.model', `must be ${known}`);
  const model = modelNamed(name as PricingModelName);
  const currency = fields.currency();
  const config = {
    model: model.name,
    currency,
    ...model.read(fields),
    ...readBounds(fields, currency),
  } as PriceConfig;
  if (config.includedUnitsShared && needsEvents(config))
    fields.addError(
      'includedUnitsShared',
      'must be left out of a percentage with terms for single events, whose included units are used up event by event in each group',
    );
  const errors = fields.errors();
  return errors.length === 0 ? { ok: true, config } : { ok: false, errors };
}

/** The config of a price in the form of a response. Decimals are exact JSON numbers. */
export interface PresentedPriceConfig extends PresentedModelFields {
  readonly model: PricingModelName;
  readonly currency: string;
  readonly includedUnits?: number | undefined;
  readonly includedUnitsShared?: boolean;
  readonly minimumAmount?: number | undefined;
  readonly maximumAmount?: number | undefined;
}

/**
 * Converts a config to its form in a response. The response has the same fields that {@link parsePriceConfig} reads, with decimals as exact
 * JSON numbers.
 */
export function presentPriceConfig(config: PriceConfig): PresentedPriceConfig {
  const { model, currency, includedUnits, includedUnitsShared, minimumAmount, maximumAmount } = config;
  return {
    model,
    ...modelNamed(model).write(config),
    ...jsonNumbers({ includedUnits }),
    ...(includedUnitsShared ? { includedUnitsShared } : {}),
    ...jsonNumbers({ minimumAmount, maximumAmount }),
    currency,
  };
}

/** Returns the kinds of charges that are possible with the config's pricing model. */
export function chargeKindOf({ model }: PriceConfig): ChargeKind {
  return modelNamed(model).chargeKind;
}

/** Tells whether billing a quantity in parts costs the same as billing it at once. */
export function isAdditive(config: PriceConfig): boolean {
  return BOUNDS.every((field) => config[field] === undefined) && modelNamed(config.model).isAdditive(config);
}

/**
 * Tells whether the cost depends on single events, and not only on their sum. If the cost depends on single events, {@link tallyEvents}
 * reads them.
 */
export function needsEvents(config: PriceConfig): boolean {
  return modelNamed(config.model).needsEvents?.(config) ?? false;
}

/**
 * Adds further events to the tally `before`, in order of time. `amounts` contains the value of the metric's property for each event. Throws
 * RangeError for a config whose cost does not depend on single events.
 */
export function tallyEvents(
  config: PriceConfig,
  amounts: Iterable<Decimal | DecimalString>,
  before: EventTally = NO_EVENTS,
): EventTally {
  if (config.model !== 'percentage')
    throw new RangeError(`The model ${config.model} does not use single events`);
  let tally = before;
  for (const amount of amounts) tally = tallyEvent(config, tally, new Decimal(amount));
  return tally;
}

/** Returns the cost of `usage`, unrounded and before the price's minimum and maximum. */
export function priceUsage(config: PriceConfig, usage: PricedUsage): UsageCost {
  const model = modelNamed(config.model);
  if (usage.events) return model.rate(config, usage);
  const { charged, free } = deductFreeUnits(usage.quantity, usage.includedUnitsShare ?? config.includedUnits);
  const rated = model.rate(config, { ...usage, quantity: charged });
  return free.length === 0 ? rated : { ...rated, tiers: [...free, ...tiersOf(rated, charged)] };
}

/**
 * Divides shared included units among the groups of a period. Undefined if included units are not shared, so that each group has all of
 * them.
 */
export function includedUnitsByGroup(
  { includedUnits, includedUnitsShared }: PriceConfig,
  quantities: readonly Decimal[],
): DecimalString[] | undefined {
  if (!includedUnitsShared || includedUnits === undefined) return undefined;
  return shareIncludedUnits(quantities, includedUnits);
}

/** Returns the tiers of a computed cost. If the model has no tiers, returns one tier with the whole quantity. */
export function tiersOf({ amount, unitPrice, tiers }: UsageCost, quantity: Decimal): RatedTier[] {
  if (tiers !== undefined) return tiers;
  const price = unitPrice === undefined ? {} : { unitPrice };
  return [{ upTo: null, quantity: decimalString(quantity), ...price, amount: decimalString(amount) }];
}

const BOUNDS = ['includedUnits', 'minimumAmount', 'maximumAmount'] as const;

function readBounds(fields: PriceConfigReader, currency: string): PriceBounds {
  const bounds = fields.optionalAmounts(...BOUNDS);
  fields.checkOrder(bounds, 'minimumAmount', 'maximumAmount');
  fields.checkWholeMinorUnits(bounds, currency, 'minimumAmount', 'maximumAmount');
  if (!fields.flag('includedUnitsShared')) return bounds;
  if (bounds.includedUnits === undefined)
    fields.addError('includedUnitsShared', 'must be absent without includedUnits');
  return { ...bounds, includedUnitsShared: true };
}

/**
 * Returns a pricing model by name. Each model gets only configs of its own type, because it is selected by the `model` field of the config.
 */
function modelNamed(
  name: PricingModelName,
): PricingModel<PricingModelName, PriceConfig & BaseConfig<PricingModelName>> {
  return models[name];
}

function refused(field: string, message: string): PriceConfigResult {
  return { ok: false, errors: [{ field, message }] };
}
