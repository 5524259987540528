export { AddTestPaymentMethod } from './commands/add-test-method.js';
export type {
  ChargeablePaymentMethod,
  ChargeOutcome,
  ChargeRequest,
  PaymentGateway,
  RefundRequest,
} from './payment-gateway.js';
export { PaymentGateways } from './payment-gateways.js';
export { PaymentsModule } from './payments.module.js';
export {
  TEST_PAYMENT_METHOD_NAMES,
  TEST_PAYMENT_METHODS,
  type TestPaymentMethodName,
} from './test-payment-methods.js';
