import { isDeepStrictEqual } from 'node:util';
import { Decimal } from '#libs/kernel/core';
import type { Cadence, ChargeTiming } from '../cadence.js';
import type { PriceConfig } from './index.js';

/** What a price charges for, when, and how much. */
export interface PriceTerms {
  readonly config: PriceConfig;
  readonly cadence: Cadence;
  readonly timing: ChargeTiming;
  readonly metricId: string | null;
}

/** The fields of configs, tiers and cells with which the cost rises. A field that is absent counts as zero. */
const RAISING: ReadonlySet<string> = new Set([
  'unitPrice',
  'amount',
  'flatAmount',
  'packagePrice',
  'defaultUnitPrice',
  'minimumAmount',
  'rate',
  'fixedFee',
  'minimumPerEvent',
]);
/** The fields with which the cost falls. A field that is absent counts as zero. */
const LOWERING: ReadonlySet<string> = new Set([
  'includedUnits',
  'freeUnits',
  'freeEvents',
  'freeAmount',
  'packageSize',
]);
/** The fields that limit the cost. A field that is absent is no limit. */
const LIMITING: ReadonlySet<string> = new Set(['maximumAmount', 'maximumPerEvent']);

/**
 * Tells whether a change of a price can make some usage or number of units cheaper. A change counts as lowering unless it is certain that
 * nothing becomes cheaper: the same model with the same tiers, cells, cadence, timing and metric, and no amount that is lower.
 */
export function canLowerPrice(before: PriceTerms, after: PriceTerms): boolean {
  if (before.cadence !== after.cadence || before.timing !== after.timing) return true;
  if (before.metricId !== after.metricId) return true;
  return isLower({ ...before.config }, { ...after.config });
}

/** Tells whether a price takes an amount off the invoice instead of charging one. */
export function isDiscount(config: PriceConfig): boolean {
  return config.model === 'flat' && new Decimal(config.amount).isNegative();
}

type Fields = Readonly<Record<string, unknown>>;

function isLower(before: Fields, after: Fields): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].some((name) => isFieldLower(name, before[name], after[name]));
}

function isFieldLower(name: string, before: unknown, after: unknown): boolean {
  if (RAISING.has(name)) return amountOf(after, 0).lt(amountOf(before, 0));
  if (LOWERING.has(name)) return amountOf(after, 0).gt(amountOf(before, 0));
  if (LIMITING.has(name)) return amountOf(after, Infinity).lt(amountOf(before, Infinity));
  // Shared units are fewer free units, so only the end of the sharing makes usage cheaper.
  if (name === 'includedUnitsShared') return before === true && after !== true;
  if (!isListOfFields(before) || !isListOfFields(after)) return !isDeepStrictEqual(before, after);
  return before.length !== after.length || before.some((one, i) => isLower(one, after[i]!));
}

function isListOfFields(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'object');
}

function amountOf(value: unknown, absent: number): Decimal {
  return new Decimal((value as string | number | null | undefined) ?? absent);
}
