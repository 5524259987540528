import type { Decimal, DecimalString } from '#libs/kernel/core';
import type { PriceConfigReader } from './price-config-reader.js';
import type { EventTally } from './event-tally.js';

/** The fields of every price config. Decimals are strings. */
export interface BaseConfig<Name extends string> extends PriceBounds {
  readonly model: Name;
  readonly currency: string;
}

/** The included units, minimum and maximum that a price of any model can have. */
export interface PriceBounds {
  /**
   * The number of free units in a period. The pricing model prices only the units above the included units. Each usage group has its own
   * included units, unless all groups share them.
   */
  readonly includedUnits?: DecimalString;
  /** True if all groups share the included units, in proportion to their usage. */
  readonly includedUnitsShared?: true;
  /** The minimum cost of a full period for all groups together. For a part of a period, the minimum is prorated. */
  readonly minimumAmount?: DecimalString;
  /** The maximum cost of a period for all groups together. For a part of a period, the maximum of usage is not prorated. */
  readonly maximumAmount?: DecimalString;
}

/** The usage to which a price is applied. */
export interface PricedUsage {
  /** The measured quantity, or the number of units of a fee. Corrections can make it negative. */
  readonly quantity: Decimal;
  /** The values of the properties by which the metric groups, without properties that the events do not have. */
  readonly group?: Readonly<Record<string, string>>;
  /** The group's share of included units, if all groups share them. If absent, the group has all included units. */
  readonly includedUnitsShare?: DecimalString;
  /** The tally of single events. Needed for a config whose cost depends on single events; see {@link PricingModel.needsEvents}. */
  readonly events?: EventTally;
}

/** A part of a quantity that has one price: a tier, the free units, the started packages or the charged events. */
export interface RatedTier {
  /** The last unit of the tier, inclusive. Null for a last tier without upper bound, and for a model without tiers. */
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
  /** The rate in percent, for the model `percentage`. */
  readonly rate?: DecimalString;
  /** The number of events of this part. Each charged event costs `fixedFee`. */
  readonly events?: number;
  readonly fixedFee?: DecimalString;
  readonly amount: DecimalString;
}

/** The cost of a quantity at full precision. The cost is rounded once, on the invoice line. */
export interface UsageCost {
  readonly amount: Decimal;
  /** The price per unit, for a model with a single price. */
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
}

/**
 * The kinds of charges that prices of a model can have. The kind `fee` is for units that the subscription has, which is one unit by
 * default. `metric` is a measured quantity. The kind `either` means that each price is a fee or has a metric.
 */
export type ChargeKind = 'fee' | 'metric' | 'either';

/** The fields that only the config of some pricing model has, in the form of a response. Decimals are exact JSON numbers. */
export interface PresentedModelFields {
  readonly unitPrice?: number;
  readonly amount?: number;
  readonly tiers?: {
    readonly upTo: number | null;
    readonly unitPrice?: number | undefined;
    readonly flatAmount?: number | undefined;
  }[];
  readonly packageSize?: number;
  readonly packagePrice?: number;
  readonly freeUnits?: number | undefined;
  readonly rate?: number;
  readonly fixedFee?: number | undefined;
  readonly freeEvents?: number | undefined;
  readonly freeAmount?: number | undefined;
  readonly minimumPerEvent?: number | undefined;
  readonly maximumPerEvent?: number | undefined;
  readonly dimensions?: readonly string[];
  readonly cells?: { readonly values: readonly string[]; readonly unitPrice: number }[];
  readonly defaultUnitPrice?: number;
}

/** A pricing model reads and writes its config, and prices a quantity. */
export interface PricingModel<Name extends string, Config extends BaseConfig<Name>> {
  readonly name: Name;
  readonly chargeKind: ChargeKind;
  /** Reads the fields that only this model's config has, without the fields of {@link BaseConfig}. */
  read(fields: PriceConfigReader): Omit<Config, keyof BaseConfig<Name>>;
  /** Converts the fields that `read` returns to JSON for a response, with decimals as exact numbers. */
  write(config: Config): PresentedModelFields;
  /** Tells whether billing a quantity in parts always costs the same as billing it at once. */
  isAdditive(config: Config): boolean;
  /** Tells whether the cost depends on single events. If absent, the cost depends only on the quantity. */
  needsEvents?(config: Config): boolean;
  /** Computes the cost of the quantity above the included units. */
  rate(config: Config, usage: PricedUsage): UsageCost;
}
