export { StartCardSetup, type CardPage } from './commands/start-card-setup.js';
export {
  knownRefusalOfAmount,
  maximumCharge,
  minimumCharge,
  refusalOfAmount,
  type ChargeRefusal,
} from './charge-limits.js';
export { ConnectPaymentGateway, DisconnectPaymentGateway } from './connection/connect-payment-gateway.js';
export { GatewayConnections, type GatewayConnection } from './connection/gateway-connections.js';
export { WaitingGatewayRequests } from './connection/waiting-gateway-requests.js';
export { presentPaymentGateway } from './connection/present.js';
export { DISPUTE_DECISIONS, SandboxDashboard, type DisputeDecision } from './sandbox-dashboard.js';
export { SavedCardAttacher } from './saved-card-attacher.js';
export type { CardSetup } from './stripe/card-setups.js';
export { modeOfKey, StripeKeyChecker } from './stripe/stripe-key-checker.js';
export { StripeEventReader, type GatewayNotice } from './stripe/stripe-event-reader.js';
export { AddTestPaymentMethod } from './commands/add-test-method.js';
export type {
  ChargeablePaymentMethod,
  ChargeOutcome,
  ChargeRequest,
  PaymentGateway,
  RefundRequest,
} from './payment-gateway.js';
export { PaymentGateways } from './payment-gateways.js';
export { requireRefundRefusal } from './refund-refusal.js';
export { PaymentsModule } from './payments.module.js';
export {
  TEST_PAYMENT_METHOD_NAMES,
  TEST_PAYMENT_METHODS,
  type TestPaymentMethodName,
} from './test-payment-methods.js';
