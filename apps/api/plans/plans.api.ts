import { defineApi } from '../http/index.js';
import { PlansApiModule } from './plans.api.module.js';

export default defineApi({
  module: PlansApiModule,
  tags: [
    {
      name: 'Plans',
      group: 'catalog',
      description: 'Prices that are sold together. Subscriptions stay on the version that they started with.',
    },
  ],
});
