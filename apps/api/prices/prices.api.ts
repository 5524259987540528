import { defineApi } from '../http/index.js';
import { PricesApiModule } from './prices.api.module.js';

export default defineApi({
  module: PricesApiModule,
  tags: [
    {
      name: 'Prices',
      group: 'catalog',
      description: 'A price says what a unit, a period or a seat costs. A change makes a new version.',
    },
  ],
});
