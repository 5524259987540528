import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CollectionModule } from '#libs/contexts/collection';
import { InvoicesReadModule } from '#projections/invoices';
import { PaymentRetryController } from './payment-retry.controller.js';

@Module({
  imports: [CqrsModule, CollectionModule, InvoicesReadModule],
  controllers: [PaymentRetryController],
})
export class PaymentRetryApiModule {}
