import type { Decimal, DecimalString } from '#libs/kernel/core';
import type { ConfigReader } from './config-reader.js';
import type { EventTally } from './event-tally.js';

/** What every price config has, whatever its model. Decimals are text. */
export interface BaseConfig<Name extends string> extends PriceBounds {
  readonly model: Name;
  readonly currency: string;
}

/** What any model can be bounded by. */
export interface PriceBounds {
  /** Units of a period that cost nothing: the model prices what is above them. Each group has them, unless they are shared. */
  readonly includedUnits?: DecimalString;
  /** All groups have the included units together, in proportion to what they used. */
  readonly includedUnitsShared?: true;
  /** Least that a full period costs, all groups together; the share of it that a part of a period is long. */
  readonly minimumAmount?: DecimalString;
  /** Most that a period costs, all groups together; a part of a period has the whole of it. */
  readonly maximumAmount?: DecimalString;
}

/** What a price is put on. */
export interface PricedUsage {
  /** The measured quantity, or the number of units of a fee. Corrections can make it negative. */
  readonly quantity: Decimal;
  /** The values of the properties that the metric groups by; one that the events do not have is left out. */
  readonly group?: Readonly<Record<string, string>>;
  /** The group's part of included units that groups share; absent: it has all of them. */
  readonly included?: DecimalString;
  /** The single events; for a config that {@link PricingModel.needsEvents}. */
  readonly events?: EventTally;
}

/** A part of a quantity that is priced alike: a tier, the free units, the started packages, the charged events. */
export interface RatedTier {
  /** The tier's last unit, inclusive; null for an open one, and where there are no bounds. */
  readonly upTo: DecimalString | null;
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly flatAmount?: DecimalString;
  /** Units that cost nothing since they are included or free. */
  readonly free?: true;
  /** Packages that were started, of `packageSize` units at `packagePrice` each. */
  readonly packages?: DecimalString;
  readonly packageSize?: DecimalString;
  readonly packagePrice?: DecimalString;
  /** Percent of the quantity, and how many events paid it, with `fixedFee` for each. */
  readonly rate?: DecimalString;
  readonly events?: number;
  readonly fixedFee?: DecimalString;
  readonly amount: DecimalString;
}

/** What a quantity costs, at full precision: the invoice line rounds it, once. */
export interface Rated {
  readonly amount: Decimal;
  /** The one price per unit, for a model that has one. */
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
}

/**
 * What the price may charge for. `fee`: units that the subscription has, one by default. `metric`: a measured quantity.
 * `either`: whichever the price names.
 */
export type ChargesFor = 'fee' | 'metric' | 'either';

/** One pricing model: how its config is read and written, and what a quantity costs under it. */
export interface PricingModel<Name extends string, Config extends BaseConfig<Name>> {
  readonly name: Name;
  readonly chargesFor: ChargesFor;
  /** The config's own fields, beside those of {@link BaseConfig}. */
  read(fields: ConfigReader): Omit<Config, keyof BaseConfig<Name>>;
  /** The same fields as JSON for a response: decimals as exact numbers. */
  write(config: Config): Record<string, unknown>;
  /** Whether the sum of what two parts of a quantity cost is what the whole costs. */
  isAdditive(config: Config): boolean;
  /** Whether the quantity alone does not tell the amount; absent: it does. */
  needsEvents?(config: Config): boolean;
  /** The amount of what is left above the included units. */
  rate(config: Config, usage: PricedUsage): Rated;
}
