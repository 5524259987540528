import { defineApi } from '../http/index.js';
import { TaxRatesApiModule } from './tax-rates.api.module.js';

export default defineApi({
  module: TaxRatesApiModule,
  tags: [
    {
      name: 'Taxes',
      group: 'catalog',
      description: 'Tax rates, which invoices add to the prices, or which the prices already contain.',
    },
  ],
});
