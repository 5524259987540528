import { defineApi } from '../http/index.js';
import { ReportsApiModule } from './reports.api.module.js';

export default defineApi({
  module: ReportsApiModule,
  tags: [
    {
      name: 'Reports',
      group: 'books',
      description: 'Reports for accountants: receivables by age, and taxes.',
    },
  ],
});
