import { Module } from '@nestjs/common';
import { CustomersReadModule } from '#projections/customers';
import { InvoicesReadModule } from '#projections/invoices';
import { LedgerReadModule } from '#projections/ledger';
import { ReportsController } from './reports.controller.js';

@Module({
  imports: [CustomersReadModule, InvoicesReadModule, LedgerReadModule],
  controllers: [ReportsController],
})
export class ReportsApiModule {}
