import { jsonNumber } from '#libs/kernel/core';
import type { TaxRateRecord } from './tax-rate.js';

/** A tax rate as the API shows it. */
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
