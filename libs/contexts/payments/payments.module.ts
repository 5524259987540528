import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { AddTestPaymentMethodHandler } from './commands/add-test-method.js';
import { StartCardSetupHandler } from './commands/start-card-setup.js';
import {
  ConnectPaymentGatewayHandler,
  DisconnectPaymentGatewayHandler,
} from './connection/connect-payment-gateway.js';
import { GatewayConnections } from './connection/gateway-connections.js';
import { WaitingGatewayRequests } from './connection/waiting-gateway-requests.js';
import { PaymentGateways } from './payment-gateways.js';
import { SandboxDashboard } from './sandbox-dashboard.js';
import { SandboxGateway } from './sandbox-gateway.js';
import { SavedCardAttacher } from './saved-card-attacher.js';
import { PaymentsProcess } from './payments.process.js';
import { CardSetups } from './stripe/card-setups.js';
import { StripeKeyChecker } from './stripe/stripe-key-checker.js';
import { StripeCardDetacher } from './stripe/stripe-card-detacher.js';
import { StripeCharges } from './stripe/stripe-charges.js';
import { StripeClients } from './stripe/stripe-clients.js';
import { StripeCustomersEraser } from './stripe/stripe-customers-eraser.js';
import { StripeCustomers } from './stripe/stripe-customers.js';
import { StripeEventReader } from './stripe/stripe-event-reader.js';
import { StripeGateway } from './stripe/stripe-gateway.js';

@Module({
  imports: [CqrsModule, CustomersModule],
  providers: [
    AddTestPaymentMethodHandler,
    StartCardSetupHandler,
    ConnectPaymentGatewayHandler,
    DisconnectPaymentGatewayHandler,
    GatewayConnections,
    PaymentGateways,
    SandboxDashboard,
    SandboxGateway,
    SavedCardAttacher,
    CardSetups,
    PaymentsProcess,
    StripeKeyChecker,
    StripeCardDetacher,
    StripeCharges,
    StripeClients,
    StripeCustomers,
    StripeCustomersEraser,
    StripeEventReader,
    StripeGateway,
    WaitingGatewayRequests,
  ],
  exports: [
    GatewayConnections,
    PaymentGateways,
    PaymentsProcess,
    SandboxDashboard,
    SavedCardAttacher,
    StripeKeyChecker,
    StripeCustomersEraser,
    StripeEventReader,
    WaitingGatewayRequests,
  ],
})
export class PaymentsModule {}
