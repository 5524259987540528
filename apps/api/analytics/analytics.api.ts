import { defineApi } from '../http/index.js';
import { AnalyticsApiModule } from './analytics.api.module.js';

export default defineApi({
  module: AnalyticsApiModule,
  tags: [
    {
      name: 'Analytics',
      group: 'books',
      description: 'Recurring revenue, usage, receivables and a forecast.',
    },
  ],
});
