export { TaxRateQueries } from './tax-rate-queries.js';
export { TaxRatesReadModule } from './tax-rates-read.module.js';
