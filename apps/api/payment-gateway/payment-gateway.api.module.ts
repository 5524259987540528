import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CollectionModule } from '#libs/contexts/collection';
import { PaymentsModule } from '#libs/contexts/payments';
import { PaymentGatewayController } from './payment-gateway.controller.js';
import { StripeController } from './stripe.controller.js';

@Module({
  imports: [CqrsModule, CollectionModule, PaymentsModule],
  controllers: [PaymentGatewayController, StripeController],
})
export class PaymentGatewayApiModule {}
