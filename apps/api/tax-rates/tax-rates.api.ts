import { defineApi } from '../http/index.js';
import { TaxRatesApiModule } from './tax-rates.api.module.js';

export default defineApi({
  module: TaxRatesApiModule,
  tags: [
    { name: 'Taxes', group: 'catalog', description: 'Tax rates that invoices add, or that prices contain.' },
  ],
});
