import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { PaymentsModule } from '#libs/contexts/payments';
import { CustomersReadModule } from '#projections/customers';
import { PaymentMethodsController } from './payment-methods.controller.js';

@Module({
  imports: [CqrsModule, CustomersModule, PaymentsModule, CustomersReadModule],
  controllers: [PaymentMethodsController],
})
export class PaymentMethodsApiModule {}
