import { defineApi } from '../http/index.js';
import { StripeCustomerView } from './payment-gateway.dto.js';
import { PaymentGatewayApiModule } from './payment-gateway.api.module.js';

export default defineApi({
  module: PaymentGatewayApiModule,
  customerData: { stripeCustomers: StripeCustomerView },
  tags: [
    {
      name: 'Payment gateway',
      group: 'operation',
      description:
        'The payment processor that charges the cards of a live workspace. A sandbox simulates payments.',
    },
  ],
});
