import type { Decimal, DecimalString } from '#libs/kernel/core';
import type { ConfigReader } from './config-reader.js';
import type { EventTally } from './event-tally.js';

/** The fields of every price config. Decimals are text. */
export interface BaseConfig<Name extends string> extends PriceBounds {
  readonly model: Name;
  readonly currency: string;
}

/** The bounds that any model can have. */
export interface PriceBounds {
  /** Free units of a period: the model prices the units above them. Each group has them, unless they are shared. */
  readonly includedUnits?: DecimalString;
  /** All groups share the included units, in proportion to their usage. */
  readonly includedUnitsShared?: true;
  /** Least that a full period costs, all groups together; the share of it that a part of a period is long. */
  readonly minimumAmount?: DecimalString;
  /** Most that a period costs, all groups together; a part of a period has the whole of it. */
  readonly maximumAmount?: DecimalString;
}

/** The usage that a price is applied to. */
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

/** The cost of a quantity at full precision. The invoice line rounds it once. */
export interface Rated {
  readonly amount: Decimal;
  /** The single price per unit, for a model that has one. */
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
}

/**
 * The kind of charge that a price may be for. `fee`: units that the subscription has, one by default. `metric`: a measured quantity.
 * `either`: whichever the price names.
 */
export type ChargesFor = 'fee' | 'metric' | 'either';

/** One pricing model: it reads and writes its config, and prices a quantity. */
export interface PricingModel<Name extends string, Config extends BaseConfig<Name>> {
  readonly name: Name;
  readonly chargesFor: ChargesFor;
  /** The config's own fields, beside those of {@link BaseConfig}. */
  read(fields: ConfigReader): Omit<Config, keyof BaseConfig<Name>>;
  /** The same fields as JSON for a response: decimals as exact numbers. */
  write(config: Config): Record<string, unknown>;
  /** Tells whether two parts of a quantity together cost the same as the whole. */
  isAdditive(config: Config): boolean;
  /** Tells whether the cost depends on single events; absent: only on the quantity. */
  needsEvents?(config: Config): boolean;
  /** The cost of the quantity above the included units. */
  rate(config: Config, usage: PricedUsage): Rated;
}
