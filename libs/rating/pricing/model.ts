import type { Decimal, DecimalString } from '#libs/core';
import type { ConfigReader } from './config-reader.js';

/** What every price config has, whatever its model. Decimals are text. */
export interface BaseConfig<Name extends string> {
  readonly model: Name;
  readonly currency: string;
}

/** The part of a quantity that one tier prices. */
export interface RatedTier {
  /** The tier's last unit, inclusive; null for the open one. */
  readonly upTo: DecimalString | null;
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly flatAmount?: DecimalString;
  readonly amount: DecimalString;
}

/** What a quantity costs, at full precision: the invoice line rounds it, once. */
export interface Rated {
  readonly amount: Decimal;
  /** The one price per unit, for a model that has one. */
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
}

/** One pricing model: how its config is read and written, and what a quantity costs under it. */
export interface PricingModel<Name extends string, Config extends BaseConfig<Name>> {
  readonly name: Name;
  /** Whether a price of this model may charge for a metric. */
  readonly metered: boolean;
  /** The config's own fields, beside `model` and `currency`. */
  read(fields: ConfigReader): Omit<Config, 'model' | 'currency'>;
  /** The same fields as JSON for a response: decimals as exact numbers. */
  write(config: Config): Record<string, unknown>;
  rate(config: Config, quantity: Decimal): Rated;
}
