import { jsonNumber } from '#libs/kernel/core';
import type { TaxRateRecord } from './tax-rate.js';

/** Converts a tax rate to its form in the API. */
export function presentTaxRate(rate: TaxRateRecord) {
  return {
    id: rate.taxRateId,
    name: rate.name,
    percentage: jsonNumber(rate.percentage),
    inclusive: rate.inclusive,
    description: rate.description,
    archived: rate.archived,
    createdAt: rate.createdAt,
  };
}
