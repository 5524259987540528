import { defineApi } from '../http/index.js';
import { PlansApiModule } from './plans.api.module.js';

export default defineApi({
  module: PlansApiModule,
  tags: [
    {
      name: 'Plans',
      group: 'catalog',
      description:
        'Prices that are sold together. Subscriptions keep the version of the plan that they started with.',
    },
  ],
});
