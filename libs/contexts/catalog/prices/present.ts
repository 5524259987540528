import { presentPriceConfig } from '#libs/rating';
import { currentPriceVersion, type Price } from './price.js';

/** Converts the newest version of a price to its form in the API. */
export function presentPrice(price: Price) {
  const {
    name,
    nameTranslations = {},
    description,
    config,
    metricId,
    cadence,
    timing,
    licenseTypeId,
    version,
    createdAt,
    taxRateIds = null,
  } = currentPriceVersion(price);
  return {
    id: price.priceId,
    name,
    nameTranslations,
    description,
    config: presentPriceConfig(config),
    metricId,
    cadence,
    timing,
    licenseTypeId,
    taxRateIds,
    version,
    createdAt: price.createdAt,
    updatedAt: createdAt,
  };
}
