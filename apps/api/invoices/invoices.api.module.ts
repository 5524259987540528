import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule } from '#libs/billing';
import { InvoicingModule } from '#libs/invoicing';
import { InvoicesReadModule } from '#projections/invoices';
import { InvoicesController } from './invoices.controller.js';

@Module({
  imports: [CqrsModule, BillingModule, InvoicingModule, InvoicesReadModule],
  controllers: [InvoicesController],
})
export class InvoicesApiModule {}
