import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InvoiceQueries } from './invoice-queries.js';
import { PaymentRetryQueries } from './payment-retry-queries.js';
import { ReceivablesQueries } from './receivables-queries.js';
import { TaxReportQueries } from './tax-report-queries.js';
import { InvoiceRow } from './invoice-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([InvoiceRow])],
  providers: [InvoiceQueries, PaymentRetryQueries, ReceivablesQueries, TaxReportQueries],
  exports: [InvoiceQueries, PaymentRetryQueries, ReceivablesQueries, TaxReportQueries],
})
export class InvoicesReadModule {}
