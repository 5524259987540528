import type { Decimal, DecimalString } from '#libs/kernel/core';
import type { ConfigReader } from './config-reader.js';
import type { EventTally } from './event-tally.js';

/** The fields of every price config. Decimals are strings. */
export interface BaseConfig<Name extends string> extends PriceBounds {
  readonly model: Name;
  readonly currency: string;
}

/** The limits that a price of any model can have. */
export interface PriceBounds {
  /** The free units of a period. The model prices only the units above them. Each group has its own free units, unless they are shared. */
  readonly includedUnits?: DecimalString;
  /** All groups share the included units, in proportion to their usage. */
  readonly includedUnitsShared?: true;
  /** The minimum cost of a full period for all groups together. For a part of a period, it is reduced to that share. */
  readonly minimumAmount?: DecimalString;
  /** The maximum cost of a period for all groups together. For a part of a period, it is not reduced. */
  readonly maximumAmount?: DecimalString;
}

/** The usage that a price is applied to. */
export interface PricedUsage {
  /** The measured quantity, or the number of units of a fee. Corrections can make it negative. */
  readonly quantity: Decimal;
  /** The values of the properties by which the metric groups, without properties that the events do not have. */
  readonly group?: Readonly<Record<string, string>>;
  /** The group's share of included units that all groups share. If absent, the group has all included units. */
  readonly included?: DecimalString;
  /** The tally of single events. Needed for a config that {@link PricingModel.needsEvents}. */
  readonly events?: EventTally;
}

/** A part of a quantity with one price: a tier, the free units, the started packages or the charged events. */
export interface RatedTier {
  /** The last unit of the tier, inclusive. Null if the tier is open, or if there are no bounds. */
  readonly upTo: DecimalString | null;
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly flatAmount?: DecimalString;
  /** True for units that are included or free. */
  readonly free?: true;
  /** The number of started packages of `packageSize` units at `packagePrice` each. */
  readonly packages?: DecimalString;
  readonly packageSize?: DecimalString;
  readonly packagePrice?: DecimalString;
  /** The percentage of the quantity that is charged, for the model `percentage`. */
  readonly rate?: DecimalString;
  /** The number of charged events. Each of them costs `fixedFee`. */
  readonly events?: number;
  readonly fixedFee?: DecimalString;
  readonly amount: DecimalString;
}

/** The cost of a quantity at full precision. The invoice line rounds it once. */
export interface UsageCost {
  readonly amount: Decimal;
  /** The price per unit, for a model with a single price. */
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
}

/**
 * The kind of charge that a price can have. `fee` is for units that the subscription has, one by default. `metric` is a measured quantity.
 * With `either`, the price decides which of the two.
 */
export type ChargeKind = 'fee' | 'metric' | 'either';

/** One pricing model: it reads and writes its config, and prices a quantity. */
export interface PricingModel<Name extends string, Config extends BaseConfig<Name>> {
  readonly name: Name;
  readonly chargeKind: ChargeKind;
  /** Reads the fields of this model's config, without those of {@link BaseConfig}. */
  read(fields: ConfigReader): Omit<Config, keyof BaseConfig<Name>>;
  /** Converts the same fields to JSON for a response, with decimals as exact numbers. */
  write(config: Config): Record<string, unknown>;
  /** Tells whether a quantity always costs the same as its parts together. */
  isAdditive(config: Config): boolean;
  /** Tells whether the cost depends on single events. If absent, it depends only on the quantity. */
  needsEvents?(config: Config): boolean;
  /** Computes the cost of the quantity above the included units. */
  rate(config: Config, usage: PricedUsage): UsageCost;
}
