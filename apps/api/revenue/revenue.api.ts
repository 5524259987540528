import { defineApi } from '../http/index.js';
import { RevenueApiModule } from './revenue.api.module.js';

export default defineApi({
  module: RevenueApiModule,
  tags: [
    {
      name: 'Revenue',
      group: 'books',
      description: 'What was earned, deferred and not invoiced, by month, from the ledger.',
    },
  ],
});
