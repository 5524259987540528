import type { Decimal, FieldError } from '#libs/core';
import { ConfigReader } from './config-reader.js';
import { flat, type FlatConfig } from './flat.js';
import type { BaseConfig, PricingModel, Rated } from './model.js';
import { unit, type UnitConfig } from './unit.js';

export type { FlatConfig } from './flat.js';
export type { UnitConfig } from './unit.js';
export type { Rated, RatedTier } from './model.js';

/** A price's validated config: one member per pricing model. Decimals are text. */
export type PriceConfig = UnitConfig | FlatConfig;
export type PricingModelName = PriceConfig['model'];

/** The registry: a further model is one file, its member of {@link PriceConfig} and its line here. */
const models: {
  readonly [Name in PricingModelName]: PricingModel<Name, Extract<PriceConfig, { model: Name }>>;
} = {
  unit,
  flat,
};

/** The pricing models that a price can have. */
export const PRICING_MODELS = Object.keys(models) as PricingModelName[];

/** What reading a config came to: the config, or everything that is wrong with it. */
export type PriceConfigResult =
  | { readonly ok: true; readonly config: PriceConfig }
  | {
      readonly ok: false;
      readonly code: 'validation_failed' | 'not_supported_yet';
      readonly errors: FieldError[];
    };

/** Reads a price's `config` from a parsed request body. Fields are named `config.…` in the errors. */
export function priceConfig(input: unknown): PriceConfigResult {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return refused('validation_failed', 'config', 'must be an object such as {"model": "unit", …}');
  const given = input as Readonly<Record<string, unknown>>;
  const name = Object.hasOwn(given, 'model') ? given.model : undefined;
  if (typeof name !== 'string')
    return refused('validation_failed', 'config.model', `is required: one of ${PRICING_MODELS.join(', ')}`);
  if (!Object.hasOwn(models, name))
    return refused(
      'not_supported_yet',
      'config.model',
      `"${name}" is not supported; use ${PRICING_MODELS.join(' or ')}`,
    );
  const model = modelNamed(name as PricingModelName);
  const fields = new ConfigReader(given);
  const config = { model: model.name, currency: fields.currency(), ...model.read(fields) } as PriceConfig;
  const errors = fields.errors();
  return errors.length === 0 ? { ok: true, config } : { ok: false, code: 'validation_failed', errors };
}

/** The config as it stands in a response: the fields of {@link priceConfig}, with decimals as exact JSON numbers. */
export function presentPriceConfig(config: PriceConfig): Record<string, unknown> {
  return { model: config.model, ...modelNamed(config.model).write(config), currency: config.currency };
}

/** Whether prices of the config's model may charge for a metric. */
export function mayBeMetered(config: PriceConfig): boolean {
  return modelNamed(config.model).metered;
}

/** What `quantity` costs, unrounded. */
export function rate(config: PriceConfig, quantity: Decimal): Rated {
  return modelNamed(config.model).rate(config, quantity);
}

/** Each model is only ever given its own config, which the union's discriminant guarantees. */
function modelNamed(
  name: PricingModelName,
): PricingModel<PricingModelName, PriceConfig & BaseConfig<PricingModelName>> {
  return models[name];
}

function refused(
  code: 'validation_failed' | 'not_supported_yet',
  field: string,
  message: string,
): PriceConfigResult {
  return { ok: false, code, errors: [{ field, message }] };
}
