import { defineApi } from '../http/index.js';
import { PaymentMethodView } from './payment-method.dto.js';
import { PaymentMethodsApiModule } from './payment-methods.api.module.js';

export default defineApi({
  module: PaymentMethodsApiModule,
  tags: [
    {
      name: 'Payment methods',
      group: 'customers',
      description:
        'The payment methods of a customer. Open invoices are charged to the default payment method.',
    },
  ],
  customerData: { paymentMethods: PaymentMethodView },
});
