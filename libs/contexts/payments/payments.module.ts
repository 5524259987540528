import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { AddTestPaymentMethodHandler } from './commands/add-test-method.js';
import { PaymentGateways } from './payment-gateways.js';
import { SandboxGateway } from './sandbox-gateway.js';

@Module({
  imports: [CqrsModule, CustomersModule],
  providers: [AddTestPaymentMethodHandler, PaymentGateways, SandboxGateway],
  exports: [PaymentGateways],
})
export class PaymentsModule {}
