import { defineApi } from '../http/index.js';
import { PaymentRetryApiModule } from './payment-retry.api.module.js';

export default defineApi({
  module: PaymentRetryApiModule,
  tags: [],
});
