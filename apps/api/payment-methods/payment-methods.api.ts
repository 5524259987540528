import { defineApi } from '../http/index.js';
import { PaymentMethodsApiModule } from './payment-methods.api.module.js';

export default defineApi({
  module: PaymentMethodsApiModule,
  tags: [
    {
      name: 'Payment methods',
      group: 'customers',
      description: 'What a customer pays with. The default one is charged for open invoices.',
    },
  ],
});
