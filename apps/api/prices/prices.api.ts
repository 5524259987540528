import { defineApi } from '../http/index.js';
import { PricesApiModule } from './prices.api.module.js';

export default defineApi({
  module: PricesApiModule,
  tags: [
    {
      name: 'Prices',
      group: 'catalog',
      description:
        'A price defines the cost of a unit, a period or a seat. A change of a price makes a new version.',
    },
  ],
});
