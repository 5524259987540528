import { storedTranslations, type NameTranslations } from '#libs/kernel/core';
import { parsePriceConfig, type Cadence, type PriceConfig, type ChargeTiming } from '#libs/rating';
import { invalidFieldsError } from '../details.js';
import type { PriceDetails } from './events.js';

/** The fields of a price in a request. The texts and choices of this request are already checked, but the config is not. */
export interface PriceInput {
  name: string;
  nameTranslations?: NameTranslations | null;
  description?: string | null;
  config: unknown;
  metricId?: string | null;
  cadence?: Cadence;
  timing?: ChargeTiming;
  licenseTypeId?: string | null;
  taxRateIds?: string[] | null;
}

/** Returns the details of a new price, with the default values. Throws InvalidRequest that names the wrong fields of the config. */
export function readPriceDetails(input: PriceInput): PriceDetails {
  const config = readPriceConfig(input.config);
  return {
    name: input.name,
    ...storedTranslations(input.nameTranslations),
    description: input.description ?? null,
    config,
    metricId: input.metricId ?? null,
    cadence: input.cadence ?? 'monthly',
    timing: input.timing ?? 'in_arrears',
    licenseTypeId: input.licenseTypeId ?? null,
    ...(input.taxRateIds ? { taxRateIds: input.taxRateIds } : {}),
  };
}

/**
 * Reads the changes to a price from a request. A given `config` replaces the whole config, and `metricId: null` turns the price into a fee.
 */
export function readPriceChanges(input: Partial<PriceInput>): Partial<PriceDetails> {
  const config = input.config === undefined ? undefined : readPriceConfig(input.config);
  const { name, description, metricId, cadence, timing, licenseTypeId, taxRateIds } = input;
  return {
    name,
    description,
    config,
    metricId,
    cadence,
    timing,
    licenseTypeId,
    taxRateIds,
    nameTranslations: input.nameTranslations === null ? {} : input.nameTranslations,
  };
}

/** Reads a price's config from a parsed request body. Throws InvalidRequest that names every wrong field. */
export function readPriceConfig(input: unknown): PriceConfig {
  const result = parsePriceConfig(input);
  if (!result.ok) throw invalidFieldsError(result.errors);
  return result.config;
}
