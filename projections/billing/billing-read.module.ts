import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BilledInvoiceRow } from './billed-invoice-row.js';
import { BillingRunQueries } from './billing-run-queries.js';
import { BillingRunRow } from './billing-run-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([BillingRunRow, BilledInvoiceRow])],
  providers: [BillingRunQueries],
  exports: [BillingRunQueries],
})
export class BillingReadModule {}
