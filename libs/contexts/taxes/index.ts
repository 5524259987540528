export { ArchiveTaxRate } from './commands/archive-tax-rate.js';
export { CreateTaxRate } from './commands/create-tax-rate.js';
export type { TaxRateDetails, TaxRateEvent } from './events.js';
export { presentTaxRate } from './present.js';
export { taxRateDecider, type TaxRateRecord } from './tax-rate.js';
export { MAX_TAXES_PER_INVOICE, TaxRates } from './tax-rates.js';
export { TaxesModule } from './taxes.module.js';
