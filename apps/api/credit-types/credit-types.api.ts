import { defineApi } from '../http/index.js';
import { CreditTypesApiModule } from './credit-types.api.module.js';

export default defineApi({
  module: CreditTypesApiModule,
  tags: [
    {
      name: 'Credit types',
      group: 'catalog',
      description:
        'The types of prepaid credits: their price, the cost of usage in credits, and the credits that plans include.',
    },
  ],
});
