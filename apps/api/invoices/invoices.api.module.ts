import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InvoicingModule } from '#libs/invoicing';
import { InvoicesReadModule } from '#projections/invoices';
import { InvoicesController } from './invoices.controller.js';

@Module({ imports: [CqrsModule, InvoicingModule, InvoicesReadModule], controllers: [InvoicesController] })
export class InvoicesApiModule {}
