import { defineApi } from '../http/index.js';
import { PlansApiModule } from './plans.api.module.js';

export default defineApi({
  module: PlansApiModule,
  tags: [
    {
      name: 'Plans',
      group: 'catalog',
      description:
        'Prices that are sold together. A subscription keeps the version of the plan that it started with, until an amendment or a price ' +
        'migration moves it.',
    },
  ],
});
