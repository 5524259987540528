import { priceConfig, type Cadence, type PriceConfig, type Timing } from '#libs/rating';
import { invalidFields } from '../details.js';
import type { PriceDetails } from './events.js';

/** A price as a request describes it: texts and choices have been checked, the config has not. */
export interface PriceInput {
  name: string;
  description?: string | null;
  config: unknown;
  metricId?: string | null;
  cadence?: Cadence;
  timing?: Timing;
  licenseTypeId?: string | null;
  taxRateIds?: string[] | null;
}

/** The details of a new price, with the defaults. InvalidRequest names what is wrong. */
export function newPrice(input: PriceInput): PriceDetails {
  const config = readPriceConfig(input.config);
  return {
    name: input.name,
    description: input.description ?? null,
    config,
    metricId: input.metricId ?? null,
    cadence: input.cadence ?? 'monthly',
    timing: input.timing ?? 'in_arrears',
    licenseTypeId: input.licenseTypeId ?? null,
    ...(input.taxRateIds ? { taxRateIds: input.taxRateIds } : {}),
  };
}

/** The changes to a price; `config` replaces the whole one, `metricId: null` makes it a fee. */
export function priceChanges(input: Partial<PriceInput>): Partial<PriceDetails> {
  const config = input.config === undefined ? undefined : readPriceConfig(input.config);
  const { name, description, metricId, cadence, timing, licenseTypeId, taxRateIds } = input;
  return { name, description, config, metricId, cadence, timing, licenseTypeId, taxRateIds };
}

/** Reads a price's config from a parsed request body. InvalidRequest names every wrong field. */
export function readPriceConfig(input: unknown): PriceConfig {
  const result = priceConfig(input);
  if (!result.ok) throw invalidFields(result.errors);
  return result.config;
}
