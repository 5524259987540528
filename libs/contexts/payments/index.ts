import { Payments1700000001000 } from './migrations/1700000001000-payments.js';
import { Refunds1700000003420 } from './migrations/1700000003420-refunds.js';

export { AddTestMethod } from './commands/add-test-method.js';
export type {
  ChargeableMethod,
  ChargeOutcome,
  ChargeRequest,
  PaymentGateway,
  RefundRequest,
} from './payment-gateway.js';
export { PaymentGateways } from './payment-gateways.js';
export { PaymentsModule } from './payments.module.js';
export { describeTestMethod, TEST_METHOD_NAMES, TEST_METHODS, type TestMethodName } from './test-methods.js';
export const migrations = [Payments1700000001000, Refunds1700000003420];
