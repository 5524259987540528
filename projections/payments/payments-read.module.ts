import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PaymentQueries } from './payment-queries.js';
import { PaymentRow } from './payment-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([PaymentRow])],
  providers: [PaymentQueries],
  exports: [PaymentQueries],
})
export class PaymentsReadModule {}
