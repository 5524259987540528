import { defineApi } from '../http/index.js';
import { RevenueApiModule } from './revenue.api.module.js';

export default defineApi({
  module: RevenueApiModule,
  tags: [
    {
      name: 'Revenue',
      group: 'books',
      description: 'Earned, deferred and unbilled revenue, by month, from the ledger.',
    },
  ],
});
