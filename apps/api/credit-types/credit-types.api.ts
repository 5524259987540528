import { defineApi } from '../http/index.js';
import { CreditTypesApiModule } from './credit-types.api.module.js';

export default defineApi({
  module: CreditTypesApiModule,
  tags: [
    {
      name: 'Credit types',
      group: 'catalog',
      description:
        'What prepaid credits are for: their price, what usage costs in credits, and what plans include.',
    },
  ],
});
