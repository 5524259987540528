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
import { PaymentGateways } from './payment-gateways.js';
import { SandboxGateway } from './sandbox-gateway.js';
import { SavedCards } from './saved-cards.js';
import { PaymentsProcess } from './payments.process.js';
import { CardSetups } from './stripe/card-setups.js';
import { StripeAccounts } from './stripe/stripe-accounts.js';
import { StripeCards } from './stripe/stripe-cards.js';
import { StripeCharges } from './stripe/stripe-charges.js';
import { StripeClients } from './stripe/stripe-clients.js';
import { StripeCustomersEraser } from './stripe/stripe-customers-eraser.js';
import { StripeCustomers } from './stripe/stripe-customers.js';
import { StripeEvents } from './stripe/stripe-events.js';
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
    SandboxGateway,
    SavedCards,
    CardSetups,
    PaymentsProcess,
    StripeAccounts,
    StripeCards,
    StripeCharges,
    StripeClients,
    StripeCustomers,
    StripeCustomersEraser,
    StripeEvents,
    StripeGateway,
  ],
  exports: [
    GatewayConnections,
    PaymentGateways,
    PaymentsProcess,
    SavedCards,
    StripeAccounts,
    StripeCustomersEraser,
    StripeEvents,
  ],
})
export class PaymentsModule {}
