export { TaxRateQueries } from './tax-rate-queries.js';
export { taxRatesProjection } from './tax-rates.projection.js';
export { TaxRatesReadModule } from './tax-rates-read.module.js';
